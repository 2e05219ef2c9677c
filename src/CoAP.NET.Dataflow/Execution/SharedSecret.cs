using System.Security.Cryptography;

namespace CoAP.NET.Execution;

/// <summary>
/// The endpoint's copy of <see cref="CoapMultiProcessOptions.SharedSecret"/>, and during a replacement also of the previous secret.
/// Thread-safe.
/// </summary>
internal sealed class SharedSecret(ReadOnlySpan<byte> secret, PreviousSecret? previous, TimeProvider time) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly byte[] _secret = secret.ToArray();
    private readonly byte[]? _previous = previous?.Secret.ToArray();
    private readonly Func<bool>? _usesPrevious = previous?.IsUsed;
    private bool _isDisposed;

    /// <summary>Derives the keys for a purpose.</summary>
    /// <param name="purpose">The purpose.</param>
    /// <param name="epoch">The duration of an epoch.</param>
    /// <exception cref="ObjectDisposedException">The endpoint was stopped.</exception>
    public RotatingKeyProvider KeysFor(string purpose, TimeSpan epoch)
    {
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return new RotatingKeyProvider(_secret, purpose, epoch, time)
            {
                Previous = _previous is null ? null : new RotatingKeyProvider(_previous, purpose, epoch, time),
                UsesPrevious = _usesPrevious,
            };
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(_secret);
            CryptographicOperations.ZeroMemory(_previous);
        }
    }
}

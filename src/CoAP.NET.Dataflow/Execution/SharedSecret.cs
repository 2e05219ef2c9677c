using System.Security.Cryptography;

namespace CoAP.NET;

/// <summary>The endpoint's copy of <see cref="CoapEndpointOptions.SharedSecret"/>. Thread-safe.</summary>
internal sealed class SharedSecret(ReadOnlySpan<byte> secret, TimeProvider time) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly byte[] _secret = secret.ToArray();
    private bool _isDisposed;

    /// <summary>Derives the keys for a purpose.</summary>
    /// <param name="purpose">The purpose.</param>
    /// <param name="epoch">The duration of an epoch.</param>
    /// <exception cref="ObjectDisposedException">The endpoint was stopped.</exception>
    public CoapEpochKeys KeysFor(string purpose, TimeSpan epoch)
    {
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return new CoapEpochKeys(_secret, purpose, epoch, time);
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            CryptographicOperations.ZeroMemory(_secret);
        }
    }
}

using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Remembers what was prepared for the last selected credentials, because preparing them takes long. Thread-safe.</summary>
/// <typeparam name="T">What is prepared.</typeparam>
/// <param name="make">Prepares it.</param>
internal sealed class PreparedCredentialCache<T>(Func<CoapDtlsCredentials, T> make)
    where T : class
{
    /// <summary>Maximum number of remembered credentials; the one that was used longest ago is forgotten.</summary>
    public const int Size = 64;

    private readonly Lock _gate = new();
    private readonly LruDictionary<CoapDtlsCredentials, T> _known = new(Size, ReferenceEqualityComparer.Instance);

    /// <summary>Returns what is prepared for credentials.</summary>
    /// <param name="credentials">The credentials.</param>
    /// <exception cref="CoapDtlsException">They are not suitable.</exception>
    public T For(CoapDtlsCredentials credentials)
    {
        lock (_gate)
        {
            if (_known.TryUse(credentials, out T? prepared))
            {
                return prepared;
            }

            prepared = make(credentials);
            _known.Set(credentials, prepared);
            return prepared;
        }
    }
}

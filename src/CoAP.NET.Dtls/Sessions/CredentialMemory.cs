namespace CoAP.NET.Dtls.Sessions;

/// <summary>Remembers what was prepared for the last selected credentials, because preparing them takes long. Thread-safe.</summary>
/// <typeparam name="T">What is prepared.</typeparam>
/// <param name="make">Prepares it.</param>
internal sealed class CredentialMemory<T>(Func<CoapDtlsCredentials, T> make)
    where T : class
{
    /// <summary>Maximum number of remembered credentials; the one that was used longest ago is forgotten.</summary>
    public const int Size = 64;

    private readonly Lock _gate = new();
    private readonly LinkedList<(CoapDtlsCredentials Credentials, T Prepared)> _known = [];

    /// <summary>Returns what is prepared for credentials.</summary>
    /// <param name="credentials">The credentials.</param>
    /// <exception cref="CoapDtlsException">OpenSSL rejects them.</exception>
    public T For(CoapDtlsCredentials credentials)
    {
        lock (_gate)
        {
            for (LinkedListNode<(CoapDtlsCredentials Credentials, T Prepared)>? node = _known.First; node is not null; node = node.Next)
            {
                if (ReferenceEquals(node.Value.Credentials, credentials))
                {
                    _known.Remove(node);
                    _known.AddFirst(node);
                    return node.Value.Prepared;
                }
            }

            // Handshakes that began with forgotten ones go on: their finalizers free what they have in OpenSSL.
            T prepared = make(credentials);
            _known.AddFirst((credentials, prepared));
            if (_known.Count > Size)
            {
                _known.RemoveLast();
            }

            return prepared;
        }
    }
}

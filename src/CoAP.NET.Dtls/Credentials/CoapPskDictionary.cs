using System.Collections;
using System.Security.Cryptography;
using System.Text;

namespace CoAP.NET.Dtls;

/// <summary>
/// Pre-shared keys by identity, in memory: of clients that are few enough to be known beforehand. Thread safe; a change holds for
/// handshakes from then on, and sessions that are open stay open. Keys are overwritten when they are removed or replaced. Enumerates the
/// identities, in no order.
/// </summary>
/// <remarks>
/// A file has a line <c>identity:key</c> for each client, in UTF-8. What follows the last colon is the key: text, or <c>0x</c> and
/// hexadecimal digits. White space around identity and key is left out, and so are empty lines and those that begin with <c>#</c>. Keep it
/// readable for nobody but the service.
/// </remarks>
public sealed class CoapPskDictionary : ICoapPskStore, IEnumerable<string>
{
    private readonly Lock _gate = new();
    private Dictionary<string, byte[]> _keys = new(StringComparer.Ordinal);

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _keys.Count;
            }
        }
    }

    /// <summary>Makes one of a file.</summary>
    /// <param name="path">The file; see the remarks of the class.</param>
    /// <returns>The dictionary.</returns>
    /// <exception cref="CoapCredentialException">The file cannot be read, or a line of it is wrong; the message names the line and holds no
    /// key.</exception>
    public static CoapPskDictionary FromFile(string path)
    {
        CoapPskDictionary keys = [];
        keys.LoadFile(path);
        return keys;
    }

    /// <summary>Adds a key, or replaces that of the same identity.</summary>
    /// <param name="identity">Who the client is: 1 to 128 bytes of UTF-8 without NUL.</param>
    /// <param name="key">The key, 1 to 64 bytes; copied.</param>
    /// <exception cref="ArgumentException">The identity or the key cannot be used.</exception>
    public void Add(string identity, ReadOnlySpan<byte> key)
    {
        PskRules.Check(identity, key.Length);
        byte[] copy = key.ToArray();
        lock (_gate)
        {
            if (_keys.Remove(identity, out byte[]? old))
            {
                CryptographicOperations.ZeroMemory(old);
            }

            _keys.Add(identity, copy);
        }
    }

    /// <summary>Adds a key, or replaces that of the same identity.</summary>
    /// <param name="credential">Identity and key; copied.</param>
    public void Add(CoapPskCredential credential)
    {
        ArgumentNullException.ThrowIfNull(credential);
        Add(credential.Identity, credential.Key.Span);
    }

    /// <summary>Removes a key. Sessions that were made with it stay open.</summary>
    /// <param name="identity">Whose.</param>
    /// <returns>Whether there was one.</returns>
    public bool Remove(string identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        lock (_gate)
        {
            if (!_keys.Remove(identity, out byte[]? old))
            {
                return false;
            }

            CryptographicOperations.ZeroMemory(old);
            return true;
        }
    }

    /// <summary>Whether there is a key for an identity.</summary>
    /// <param name="identity">Whose.</param>
    public bool Contains(string identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        lock (_gate)
        {
            return _keys.ContainsKey(identity);
        }
    }

    /// <summary>
    /// Replaces all keys by those of a file: as a service does that is told to reload. When anything is wrong with the file, all stays as
    /// it was.
    /// </summary>
    /// <param name="path">The file; see the remarks of the class.</param>
    /// <returns>How many there are now.</returns>
    /// <exception cref="CoapCredentialException">The file cannot be read, or a line of it is wrong or names an identity again; the message
    /// names the line and holds no key.</exception>
    public int LoadFile(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        Dictionary<string, byte[]> read = Read(path);
        Dictionary<string, byte[]> before;
        lock (_gate)
        {
            before = _keys;
            _keys = read;

            // Whoever looks for a key holds the gate while it is copied, so nobody reads these any more.
            Clear(before);
        }

        return read.Count;
    }

    /// <inheritdoc/>
    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(identity);

        // A copy: what is given out must not turn into zeros, which anybody could know, while a handshake reads it.
        lock (_gate)
        {
            return new ValueTask<ReadOnlyMemory<byte>>(_keys.TryGetValue(identity, out byte[]? key) ? key.AsSpan().ToArray() : default);
        }
    }

    /// <inheritdoc/>
    public IEnumerator<string> GetEnumerator()
    {
        string[] identities;
        lock (_gate)
        {
            identities = [.. _keys.Keys];
        }

        return ((IEnumerable<string>)identities).GetEnumerator();
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private static Dictionary<string, byte[]> Read(string path)
    {
        Dictionary<string, byte[]> keys = new(StringComparer.Ordinal);
        int number = 0;
        try
        {
            foreach (string line in File.ReadLines(path, Encoding.UTF8))
            {
                number++;
                ReadOnlySpan<char> text = line.AsSpan().Trim();
                if (text.IsEmpty || text[0] == '#')
                {
                    continue;
                }

                if (!PskRules.TryParse(text, out string identity, out byte[] key, out string problem))
                {
                    throw new CoapCredentialException(path, number, problem);
                }

                if (!keys.TryAdd(identity, key))
                {
                    throw new CoapCredentialException(path, number,
                        $"The identity '{identity}' stands in the file before. Leave one of the lines out.");
                }
            }

            return keys;
        }
        catch (CoapCredentialException)
        {
            Clear(keys);
            throw;
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            Clear(keys);
            throw new CoapCredentialException(path, 0, $"The file of pre-shared keys cannot be read: {exception.Message}", exception);
        }
    }

    private static void Clear(Dictionary<string, byte[]> keys)
    {
        foreach (byte[] key in keys.Values)
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }
}

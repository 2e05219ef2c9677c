using System.Collections;
using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Files;

namespace CoAP.NET.Dtls;

/// <summary>An in-memory dictionary of pre-shared keys by identity, for clients that are few and known in advance.</summary>
/// <remarks>
/// Thread-safe. A change applies to later handshakes; open sessions stay open. The dictionary overwrites keys when it removes or replaces
/// them. It enumerates the identities, in no order. A file has one line <c>identity:key</c> per client, in UTF-8. The key is the text after
/// the last colon: text, or <c>0x</c> and hexadecimal digits. The dictionary ignores white space around identity and key, empty lines, and
/// lines that begin with <c>#</c>. The file is a regular file of at most 256 MiB, or a link to one. Make it readable for the service only.
/// </remarks>
public sealed class CoapPskDictionary : ICoapPskStore, IEnumerable<string>
{
    private readonly Lock _gate = new();
    private Dictionary<string, byte[]> _keys = new(StringComparer.Ordinal);

    /// <summary>Number of keys.</summary>
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

    /// <summary>Creates a dictionary from a file.</summary>
    /// <param name="path">The file; see the remarks of the class.</param>
    /// <returns>The dictionary.</returns>
    /// <exception cref="CoapCredentialException">
    /// The file is not readable, or a line of it is wrong; the message names the line and contains no key.
    /// </exception>
    public static CoapPskDictionary FromFile(string path)
    {
        CoapPskDictionary keys = [];
        keys.LoadFile(path);
        return keys;
    }

    /// <summary>Adds a key, or replaces the key of the same identity.</summary>
    /// <param name="identity">The client's identity: 1 to 128 bytes of UTF-8 without NUL.</param>
    /// <param name="key">The key, 1 to 64 bytes; copied.</param>
    /// <exception cref="ArgumentException">The identity or the key is not valid.</exception>
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

    /// <summary>Adds a key, or replaces the key of the same identity.</summary>
    /// <param name="credential">Identity and key; copied.</param>
    public void Add(CoapPskCredential credential)
    {
        ArgumentNullException.ThrowIfNull(credential);
        Add(credential.Identity, credential.Key.Span);
    }

    /// <summary>Removes a key. Sessions that used it stay open.</summary>
    /// <param name="identity">The client's identity.</param>
    /// <returns>True if there was one.</returns>
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
    /// <param name="identity">The client's identity.</param>
    public bool Contains(string identity)
    {
        ArgumentNullException.ThrowIfNull(identity);
        lock (_gate)
        {
            return _keys.ContainsKey(identity);
        }
    }

    /// <summary>Replaces all keys with those of a file, as when a service reloads its settings.</summary>
    /// <param name="path">The file; see the remarks of the class.</param>
    /// <returns>The new number of keys.</returns>
    /// <exception cref="CoapCredentialException">
    /// The file is not readable, or a line of it is wrong or repeats an identity; the message names the line and contains no key.
    /// </exception>
    /// <remarks>If the file has an error, the dictionary keeps its keys.</remarks>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public int LoadFile(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        Dictionary<string, byte[]> read = Read(path);
        Dictionary<string, byte[]> before;
        lock (_gate)
        {
            before = _keys;
            _keys = read;

            // A lookup copies the key under the gate, so no reader has these keys any more.
            Clear(before);
        }

        return read.Count;
    }

    /// <summary>Removes and overwrites all keys.</summary>
    internal void Wipe()
    {
        lock (_gate)
        {
            Clear(_keys);
            _keys.Clear();
        }
    }

    /// <inheritdoc/>
    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(identity);

        // A copy: the returned key must not turn into zeros, which any attacker could guess, while a handshake reads it.
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
        byte[] content = [];
        int number = 0;
        try
        {
            content = RegularFile.ReadBytes(path, RegularFile.MaxListLength);
            using StreamReader lines = new(new MemoryStream(content, writable: false), Encoding.UTF8);
            while (lines.ReadLine() is { } line)
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
                        $"The identity '{identity}' is already in the file. Remove one of the two lines.");
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
            throw new CoapCredentialException(path, 0, $"The file of pre-shared keys is not readable: {exception.Message}", exception);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(content);
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

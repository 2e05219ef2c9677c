namespace CoAP.NET.Oscore.Provisioning;

/// <summary>
/// Security contexts in a file: a JSON file, or a directory in the format of aiocoap (<c>settings.json</c>, <c>secret.json</c>).
/// </summary>
/// <remarks>
/// <para>Make both readable for the service only. No exception message contains a secret.</para>
/// <para>The JSON file is an object with one context, or with the list <c>contexts</c>: <c>name</c>, <c>masterSecret</c>,
/// <c>masterSalt</c>, <c>senderId</c>, <c>recipientId</c>, <c>idContext</c>, <c>algorithm</c>, <c>hkdf</c> and <c>windowSize</c>. Write
/// bytes as <c>0x</c> and hexadecimal digits, or <c>base64:</c> and Base64; <c>0x</c> alone is the empty string. Algorithm and HKDF are
/// names or numbers of COSE. The file may have comments. At most 16 MiB and 65,536 contexts.</para>
/// <para>The store of the sequence numbers is next to it: the directory <c>door.json.state</c> for <c>door.json</c>, and the file
/// <c>sequence.json</c> for a directory of aiocoap, with aiocoap's lock. So either program can continue where the other one ended.</para>
/// </remarks>
internal sealed class OscoreContextFile : IDisposable
{
    private const int MaxLength = 16 * 1024 * 1024;

    private readonly Lock _gate = new();
    private readonly bool _isDirectory;
    private readonly int _windowSize;
    private IDisposable? _store;

    private OscoreContextFile(string path, bool isDirectory, IReadOnlyList<OscoreContextFileEntry> contexts)
    {
        Path = path;
        _isDirectory = isDirectory;
        Contexts = contexts;
        _windowSize = contexts[0].Parameters.WindowSize;
    }

    /// <summary>The file or directory.</summary>
    public string Path { get; }

    /// <summary>The contexts, at least one.</summary>
    public IReadOnlyList<OscoreContextFileEntry> Contexts { get; }

    /// <summary>Reads a file, or a directory of aiocoap, without locking or writing.</summary>
    /// <returns>The contexts. Dispose them to wipe their secrets.</returns>
    /// <exception cref="CoapCredentialException">It is not readable, or its content has an error.</exception>
    public static OscoreContextFile Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        bool isDirectory = Directory.Exists(path);
        IReadOnlyList<OscoreContextFileEntry> contexts = isDirectory
            ? [AiocoapDirectory.Read(path)]
            : SecretFileReader.Read(path, MaxLength, static (bytes, file) => ContextFileParser.Parse(bytes, file));
        return new OscoreContextFile(path, isDirectory, contexts);
    }

    /// <summary>Opens the store of the sequence numbers of these contexts, and locks it for this process.</summary>
    /// <param name="scheduler">Runs the disk operations; null for the library's scheduler.</param>
    /// <returns>The store.</returns>
    /// <exception cref="OscoreStoreException">Another process has it, or it cannot be created.</exception>
    /// <remarks>Disposing this object disposes the store. A second call returns the same store.</remarks>
    public IOscoreStore OpenStore(CoapThreadScheduler? scheduler = null)
    {
        lock (_gate)
        {
            _store ??= _isDirectory
                ? AiocoapSequenceStore.Open(Path, OscoreStoreKey.Of(Contexts[0].Parameters), _windowSize, scheduler)
                : FileOscoreStore.Open(Path + ".state", scheduler);
            return (IOscoreStore)_store;
        }
    }

    /// <summary>Closes the store, and wipes the secrets. Contexts that exist already keep their keys.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _store?.Dispose();
        }

        foreach (OscoreContextFileEntry context in Contexts)
        {
            context.Parameters.Dispose();
        }
    }
}

namespace CoAP.NET.Oscore;

/// <summary>
/// Security contexts that an administrator has written down: a JSON file, or a directory as aiocoap has them (<c>settings.json</c>,
/// <c>secret.json</c>). Keep both readable for nobody but the service. No message of an exception holds a secret.
/// </summary>
/// <remarks>
/// <para>
/// The JSON file is an object with one context, or with the list <c>contexts</c>: <c>name</c>, <c>masterSecret</c>, <c>masterSalt</c>,
/// <c>senderId</c>, <c>recipientId</c>, <c>idContext</c>, <c>algorithm</c>, <c>hkdf</c> and <c>windowSize</c>. Bytes are written as
/// <c>0x</c> and hexadecimal digits, or <c>base64:</c> and Base64; <c>0x</c> alone is the empty string. Algorithm and HKDF are names or
/// numbers of COSE. Comments are allowed. At most 16 MiB and 65,536 contexts.
/// </para>
/// <para>
/// Sequence numbers are kept beside: for <c>door.json</c> in the directory <c>door.json.state</c>, for a directory of aiocoap in its
/// <c>sequence.json</c>, with its lock. So either program can go on where the other one ended.
/// </para>
/// </remarks>
public sealed class OscoreContextFile : IDisposable
{
    private const int MaxLength = 16 * 1024 * 1024;

    private readonly Lock _gate = new();
    private readonly bool _isDirectory;
    private readonly int _windowSize;
    private IDisposable? _store;

    private OscoreContextFile(string path, bool isDirectory, IReadOnlyList<OscoreContextEntry> contexts)
    {
        Path = path;
        _isDirectory = isDirectory;
        Contexts = contexts;
        _windowSize = contexts[0].Parameters.WindowSize;
    }

    /// <summary>The file or directory.</summary>
    public string Path { get; }

    /// <summary>The contexts, at least one.</summary>
    public IReadOnlyList<OscoreContextEntry> Contexts { get; }

    /// <summary>Reads a file, or a directory of aiocoap. Nothing is locked or written.</summary>
    /// <param name="path">The file or directory.</param>
    /// <returns>The contexts. Dispose of them to wipe their secrets.</returns>
    /// <exception cref="OscoreProvisioningException">It cannot be read, or something in it is wrong.</exception>
    public static OscoreContextFile Read(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        bool isDirectory = Directory.Exists(path);
        IReadOnlyList<OscoreContextEntry> contexts = isDirectory
            ? [AiocoapDirectory.Read(path)]
            : SecretFile.Read(path, MaxLength, static (bytes, file) => ContextFileParser.Parse(bytes, file));
        return new OscoreContextFile(path, isDirectory, contexts);
    }

    /// <summary>
    /// Opens the store of the sequence numbers of these contexts, and locks it: one process at a time. Disposed of together with this
    /// object; the second call gives the same one.
    /// </summary>
    /// <param name="scheduler">Does what waits for the disk; null for the threads of the library.</param>
    /// <returns>The store.</returns>
    /// <exception cref="OscoreStoreException">Another process has it, or it cannot be made.</exception>
    public IOscoreStore OpenStore(CoapScheduler? scheduler = null)
    {
        lock (_gate)
        {
            _store ??= _isDirectory
                ? AiocoapStore.Open(Path, OscoreStoreKey.Of(Contexts[0].Parameters), _windowSize, scheduler)
                : FileOscoreStore.Open(Path + ".state", scheduler);
            return (IOscoreStore)_store;
        }
    }

    /// <summary>Closes the store, and wipes the secrets. Contexts that were derived before keep their keys.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _store?.Dispose();
        }

        foreach (OscoreContextEntry context in Contexts)
        {
            context.Parameters.Dispose();
        }
    }
}

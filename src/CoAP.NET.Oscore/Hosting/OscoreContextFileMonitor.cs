using CoAP.NET.Diagnostics;
using CoAP.NET.Files;
using CoAP.NET.Oscore.Provisioning;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>The security contexts of one file, which may change while they are in use. For one caller at a time.</summary>
internal sealed class OscoreContextFileMonitor : WatchedCredentials, IAsyncDisposable
{
    // Opening waits for the disk, so several run at a time.
    private const int AtATime = 16;

    private readonly string _path;
    private readonly bool _isDirectory;
    private readonly OscoreContexts _contexts;
    private readonly OscoreContextFile _first;
    private readonly IOscoreStore _store;
    private readonly ChangingFile _file;
    private readonly Dictionary<string, OscoreContext> _open = [];

    private OscoreContextFileMonitor(string path, OscoreContexts contexts, OscoreContextFile first, IOscoreStore store, FileStamp stamp)
    {
        _path = path;
        _isDirectory = Directory.Exists(path);
        _contexts = contexts;
        _first = first;
        _store = store;
        _file = new ChangingFile(path, stamp);
    }

    /// <summary>The only context of a file.</summary>
    public OscoreContext Only => _open.Values.Single();

    /// <summary>Reads a file, and opens its contexts.</summary>
    /// <param name="path">The file.</param>
    /// <param name="contexts">The contexts of the endpoint.</param>
    /// <param name="shared">The store of JSON files; null for a store next to the file.</param>
    /// <param name="cancellationToken">Cancels the wait for the disk.</param>
    /// <exception cref="CoapException">The file or the store has an error or is in use.</exception>
    /// <exception cref="ArgumentException">Another file has a context with the same Recipient ID.</exception>
    public static async Task<OscoreContextFileMonitor> OpenAsync(
        string path, OscoreContexts contexts, IOscoreStore? shared, CancellationToken cancellationToken)
    {
        FileStamp stamp = FileStamp.Of(path);
        OscoreContextFile first = OscoreContextFile.Read(path);
        OscoreContextFileMonitor? file = null;
        try
        {
            file = new(path, contexts, first, (Directory.Exists(path) ? null : shared) ?? first.OpenStore(), stamp);
            await file.TakeAsync(first.Contexts, cancellationToken).ConfigureAwait(false);
            return file;
        }
        catch
        {
            if (file is not null)
            {
                await file.DisposeAsync().ConfigureAwait(false);
            }

            first.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override async ValueTask<bool> RefreshAsync(DateTimeOffset now)
    {
        // The numbers of an aiocoap directory belong to its single context.
        if (_isDirectory || !_file.Look())
        {
            return false;
        }

        using OscoreContextFile file = OscoreContextFile.Read(_path);
        await TakeAsync(file.Contexts, CancellationToken.None).ConfigureAwait(false);
        return true;
    }

    /// <inheritdoc/>
    public override void LogTaken(ILogger logger, string title, int ended) =>
        CredentialLog.ContextsTaken(logger, title, ConfigurationTextFormatter.Of(_path), _open.Count);

    /// <inheritdoc/>
    public override void LogNotTaken(ILogger logger, string title, string problem) =>
        CredentialLog.ContextsNotTaken(logger, title, CoapUntrustedText.LineOf(problem));

    /// <summary>Closes the contexts, so that the store has the received numbers, and the store.</summary>
    public async ValueTask DisposeAsync()
    {
        await CloseAsync([.. _open.Keys]).ConfigureAwait(false);
        _first.Dispose();
    }

    private static string KeyOf(OscoreParameters parameters) =>
        $"{OscoreStoreKey.Of(parameters)} {Convert.ToHexString(parameters.RecipientId.Span)} {parameters.WindowSize}";

    private async Task TakeAsync(IReadOnlyList<OscoreContextFileEntry> entries, CancellationToken cancellationToken)
    {
        Dictionary<string, OscoreParameters> wanted = entries.ToDictionary(
            static entry => KeyOf(entry.Parameters), static entry => entry.Parameters);

        // Removed ones first: a changed one continues with the numbers of its predecessor.
        await CloseAsync([.. _open.Keys.Where(key => !wanted.ContainsKey(key))]).ConfigureAwait(false);
        foreach ((string Key, OscoreParameters Parameters)[] some in wanted.Where(entry => !_open.ContainsKey(entry.Key))
            .Select(static entry => (entry.Key, entry.Value)).Chunk(AtATime))
        {
            OscoreContext[] opened = await Task.WhenAll(some.Select(
                entry => OscoreContext.OpenAsync(entry.Parameters, _store, cancellationToken: cancellationToken).AsTask()))
                .ConfigureAwait(false);
            await UseAsync([.. some.Select(static entry => entry.Key)], opened).ConfigureAwait(false);
        }
    }

    private async Task UseAsync(string[] keys, OscoreContext[] opened)
    {
        int used = 0;
        try
        {
            for (; used < opened.Length; used++)
            {
                _contexts.Add(opened[used]);
                _open.Add(keys[used], opened[used]);
            }
        }
        finally
        {
            foreach (OscoreContext unused in opened[used..])
            {
                await unused.DisposeAsync().ConfigureAwait(false);
            }
        }
    }

    private async Task CloseAsync(string[] keys)
    {
        foreach (string key in keys)
        {
            OscoreContext context = _open[key];
            _open.Remove(key);
            _contexts.Remove(context);
            await context.DisposeAsync().ConfigureAwait(false);
        }
    }
}

using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>
/// The security contexts of a server or client and their files: opened before the endpoint starts, closed after it has ended. The container
/// closes those that are still open.
/// </summary>
/// <param name="contexts">The contexts.</param>
/// <param name="storePath">The directory of the sequence numbers of all files; null for one next to each.</param>
internal sealed class HostedOscore(OscoreContexts contexts, string? storePath) : IAsyncDisposable, IDisposable
{
    private readonly List<OscoreContextFileMonitor> _files = [];
    private FileOscoreStore? _store;

    public static HostedOscore Make(IServiceProvider services, string name)
    {
        CoapOscoreServerFileOptions options = services.OptionsOf<CoapOscoreServerFileOptions>(name);
        OscoreContexts contexts = new()
        {
            Resolver = options.Resolver?.Invoke(services),
            ResolveTimeout = options.ResolveTimeout,
            MaxUnfragmentedSize = options.MaxUnfragmentedSize,
            Limits = options.Limits,
        };
        return new HostedOscore(contexts, options.Store);
    }

    public OscoreContexts Contexts => contexts;

    public IReadOnlyList<OscoreContextFileMonitor> Files => _files;

    /// <summary>Opens the contexts of files.</summary>
    /// <exception cref="CoapException">
    /// A file has an error, or another process has the sequence numbers. All files are closed then.
    /// </exception>
    public async Task OpenAsync(IEnumerable<string> paths, CancellationToken cancellationToken)
    {
        try
        {
            _store ??= storePath is null ? null : FileOscoreStore.Open(storePath);
            foreach (string path in paths)
            {
                _files.Add(await OscoreContextFileMonitor.OpenAsync(path, contexts, _store, cancellationToken).ConfigureAwait(false));
            }
        }
        catch (ArgumentException exception)
        {
            await DisposeAsync().ConfigureAwait(false);
            throw new CoapException($"The files of security contexts contradict each other. {exception.Message}", exception);
        }
        catch
        {
            await DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (OscoreContextFileMonitor file in _files)
        {
            await file.DisposeAsync().ConfigureAwait(false);
        }

        _files.Clear();
        _store?.Dispose();
        _store = null;
    }

    // The container may call Dispose; threads of the library wait for the disk.
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();
}

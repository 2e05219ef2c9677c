using CoAP.NET.Directories;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// Keeps an endpoint registered with a resource directory for as long as the process runs (RFC 9176 section 5): finds the directory,
/// registers, refreshes ahead of the end of the lifetime, tries again with growing waits, registers anew when the directory has forgotten
/// or has moved, and removes the registration when it is stopped. Safe for several threads.
/// </summary>
/// <remarks>
/// Use a client on the endpoint of the server, so that requests leave from the port at which the server answers:
/// <c>new CoapClient(server.Endpoint)</c>.
/// </remarks>
public sealed class CoapRegistration : IAsyncDisposable
{
    private readonly RegistrationLoop _loop;
    private readonly Task _running;
    private CoapRegistrationStatus _status = new();
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private CoapRegistration(CoapClient client, string? uri, CoapResourceDirectory? directory, CoapRegistrationOptions options)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(options);
        RegistrationRules.CheckAttributes(options);
        _loop = new RegistrationLoop(this, client, uri, directory, options.Clone());
        _running = _loop.RunAsync();
    }

    /// <summary>
    /// Raised when <see cref="Status"/> changed, with the new one. Called on a thread of the library, never twice at a time; do not block
    /// in it. What a handler throws is logged.
    /// </summary>
    public event EventHandler<CoapRegistrationStatus>? StatusChanged;

    /// <summary>How it is at the moment.</summary>
    public CoapRegistrationStatus Status => Volatile.Read(ref _status);

    /// <summary>Begins to keep an endpoint registered with a directory that is looked for (see
    /// <see cref="CoapResourceDirectory.DiscoverAsync"/>), now and whenever it cannot be reached any more.</summary>
    /// <param name="client">Who sends; on the endpoint of the server that is registered.</param>
    /// <param name="directory">Scheme, host and port of the directory, such as <c>coap://rd.example</c>, or a group such as
    /// <see cref="CoapResourceDirectory.LinkLocalGroup"/>.</param>
    /// <param name="options">What is registered.</param>
    /// <returns>The registration, which goes on in the background. Dispose it to remove the endpoint from the directory.</returns>
    /// <exception cref="ArgumentException">The URI is no absolute CoAP URI, or an attribute cannot be registered.</exception>
    public static CoapRegistration Start(CoapClient client, string directory, CoapRegistrationOptions options)
    {
        ArgumentNullException.ThrowIfNull(directory);
        return CoapUri.TryParse(directory, out _, out string? error)
            ? new CoapRegistration(client, directory, null, options)
            : throw new ArgumentException(error, nameof(directory));
    }

    /// <summary>Begins to keep an endpoint registered with a directory that was found, or whose places are known. It is not looked for
    /// again.</summary>
    /// <param name="client">Who sends; on the endpoint of the server that is registered.</param>
    /// <param name="directory">The directory.</param>
    /// <param name="options">What is registered.</param>
    /// <returns>The registration, which goes on in the background. Dispose it to remove the endpoint from the directory.</returns>
    /// <exception cref="ArgumentException">The directory has no place for registrations, or an attribute cannot be registered.</exception>
    public static CoapRegistration Start(CoapClient client, CoapResourceDirectory directory, CoapRegistrationOptions options)
    {
        ArgumentNullException.ThrowIfNull(directory);
        return directory.Registration is not null
            ? new CoapRegistration(client, null, directory, options)
            : throw new ArgumentException($"The directory ({directory}) has no place for registrations.", nameof(directory));
    }

    /// <summary>Waits until the endpoint is registered. Tries that fail meanwhile are in <see cref="Status"/>.</summary>
    /// <param name="cancellationToken">Stops waiting; the registration goes on.</param>
    /// <returns>The status in which it is registered.</returns>
    /// <exception cref="ObjectDisposedException">The registration was stopped.</exception>
    public async Task<CoapRegistrationStatus> WhenRegisteredAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            Task changed = Volatile.Read(ref _changed).Task;
            CoapRegistrationStatus status = Status;
            ObjectDisposedException.ThrowIf(status.State == CoapRegistrationState.Ended, this);
            if (status.State is CoapRegistrationState.Registered or CoapRegistrationState.Retrying)
            {
                return status;
            }

            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits until there is another <see cref="Status"/>, for those who follow it without an event.</summary>
    /// <param name="known">The status that the caller knows.</param>
    /// <param name="cancellationToken">Stops waiting; the registration goes on.</param>
    /// <returns>The newest status; of several that came meanwhile the last.</returns>
    public async Task<CoapRegistrationStatus> WhenChangedAsync(CoapRegistrationStatus known, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(known);
        while (true)
        {
            Task changed = Volatile.Read(ref _changed).Task;
            if (!ReferenceEquals(Status, known))
            {
                return Status;
            }

            await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Tells the directory now what has changed, instead of with the next refresh: <see cref="CoapRegistrationOptions.Links"/> that give
    /// other links than before, and what is given here. Without a change it is a refresh. For a program that knows that the directory is
    /// back, too.
    /// </summary>
    /// <param name="baseUri">Where the endpoint is from now on; null for no change.</param>
    /// <param name="links">What is registered from now on, in the place of the links before; null for no change.</param>
    /// <param name="cancellationToken">Stops waiting; the change is made nevertheless.</param>
    /// <returns>A task that ends when the directory has it.</returns>
    /// <exception cref="ArgumentException">The base is no absolute CoAP URI, or has a path, a query or a zone.</exception>
    /// <exception cref="CoapException">The try failed. The registration goes on trying, as <see cref="Status"/> says.</exception>
    /// <exception cref="ObjectDisposedException">The registration was stopped.</exception>
    public Task UpdateAsync(string? baseUri = null, IEnumerable<CoapLink>? links = null, CancellationToken cancellationToken = default)
    {
        RegistrationChange change = new(RegistrationRules.CheckBase(baseUri, nameof(baseUri)), links);
        return _loop.UpdateAsync(change).WaitAsync(cancellationToken);
    }

    /// <summary>
    /// Stops, and removes the endpoint from the directory (<see cref="CoapRegistrationOptions.RemoveAtEnd"/>) unless the registration has
    /// ended already: its location could be somebody else's then. A directory that does not answer is waited for no longer than
    /// <see cref="CoapRegistrationOptions.EndTimeout"/>; it forgets the endpoint when the lifetime is over.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait for the directory.</param>
    /// <returns>A task that ends when it has stopped. It does not fail.</returns>
    public Task StopAsync(CancellationToken cancellationToken = default) => _loop.StopAsync(_running, cancellationToken);

    /// <summary>Stops; see <see cref="StopAsync"/>.</summary>
    /// <returns>A task that ends when it has stopped.</returns>
    public async ValueTask DisposeAsync() => await StopAsync(CancellationToken.None).ConfigureAwait(false);

    /// <summary>Directory and status for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Status.Directory}: {Status}";

    /// <summary>There is a new status. Called by one thread at a time.</summary>
    /// <param name="status">The status.</param>
    /// <param name="log">Told of handlers that fail.</param>
    internal void Tell(CoapRegistrationStatus status, ILogger log)
    {
        Volatile.Write(ref _status, status);
        Interlocked.Exchange(ref _changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).TrySetResult();
        UserCode.Enter();
        try
        {
            StatusChanged?.Invoke(this, status);
        }
#pragma warning disable CA1031 // handlers of users may throw anything; the registration goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Log.RegistrationHandlerFailed(log, exception);
        }
        finally
        {
            UserCode.Exit();
        }
    }
}

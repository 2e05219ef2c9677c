using CoAP.NET.Endpoints;
using CoAP.NET.Execution;
using CoAP.NET.ResourceDirectory.Clients;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.ResourceDirectory;

/// <summary>Keeps an endpoint registered with a resource directory while the process runs (RFC 9176 section 5).</summary>
/// <remarks>
/// It finds the directory, registers, refreshes before the end of the lifetime, and retries with growing delays. It registers again when
/// the directory has forgotten the endpoint or has moved, and removes the registration when it is stopped. Thread-safe. Use a client on the
/// endpoint of the server, so that requests leave from the port of the server: <c>new CoapClient(server.Endpoint)</c>.
/// </remarks>
public sealed class CoapRegistration : IAsyncDisposable
{
    private readonly RegistrationLoop _loop;
    private readonly Task _running;
    private CoapRegistrationStatus _status = new();
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private CoapRegistration(IEndpointClient client, CoapUri? uri, CoapDirectoryClient? directory, CoapRegistrationOptions options)
    {
        ArgumentNullException.ThrowIfNull(client);
        ArgumentNullException.ThrowIfNull(options);
        ClientRegistrationRules.CheckAttributes(options);
        _loop = new RegistrationLoop(this, client, uri, directory, options.MakeReadOnlyFor("a registration"));
        _running = _loop.RunAsync();
    }

    /// <summary>Raised when <see cref="Status"/> changed, with the new one.</summary>
    /// <remarks>
    /// Called on a thread of the library, never concurrently; do not block in it. The library logs exceptions of handlers.
    /// </remarks>
    public event EventHandler<CoapRegistrationStatus>? StatusChanged;

    /// <summary>The current status.</summary>
    public CoapRegistrationStatus Status => Volatile.Read(ref _status);

    /// <summary>Starts to keep an endpoint registered with a directory.</summary>
    /// <remarks>
    /// It searches the directory (see
    /// <see cref="CoapDirectoryClient.DiscoverAsync(ICoapClient, CoapUri, CoapDirectoryClientOptions, CancellationToken)"/>) now and
    /// whenever the directory is unreachable.
    /// </remarks>
    /// <param name="client">The client that sends; on the endpoint of the registered server.</param>
    /// <param name="directory">Scheme, host and port of the directory, such as <c>coap://rd.example</c>, or a group such as
    /// <see cref="CoapDirectoryClient.LinkLocalGroup"/>. The empty string means the base address of the client.</param>
    /// <param name="options">The registration.</param>
    /// <returns>The registration, which continues in the background. Dispose it to remove the endpoint from the directory.</returns>
    /// <exception cref="ArgumentException">The URI is not a CoAP URI, the client has no base address for a relative one, or an attribute
    /// is invalid.</exception>
    public static CoapRegistration Start(ICoapClient client, CoapUri directory, CoapRegistrationOptions options)
    {
        IEndpointClient sender = IEndpointClient.Of(client);
        return new CoapRegistration(
            sender, CoapDirectoryClient.Resolve(sender, directory, nameof(directory)), null, options);
    }

    /// <inheritdoc cref="Start(ICoapClient, CoapUri, CoapRegistrationOptions)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public static CoapRegistration Start(ICoapClient client, string directory, CoapRegistrationOptions options) =>
        Start(client, CoapUri.FromString(directory), options);

    /// <summary>Starts to keep an endpoint registered with a directory that was found, or whose URIs are known.</summary>
    /// <remarks>It does not search the directory again.</remarks>
    /// <param name="client">The client that sends; on the endpoint of the registered server.</param>
    /// <param name="directory">The directory.</param>
    /// <param name="options">The registration.</param>
    /// <returns>The registration, which continues in the background. Dispose it to remove the endpoint from the directory.</returns>
    /// <exception cref="ArgumentException">The directory has no URI for registrations, or an attribute is invalid.</exception>
    public static CoapRegistration Start(ICoapClient client, CoapDirectoryClient directory, CoapRegistrationOptions options)
    {
        ArgumentNullException.ThrowIfNull(directory);
        return directory.Registration is not null
            ? new CoapRegistration(IEndpointClient.Of(client), null, directory, options)
            : throw new ArgumentException($"The directory ({directory}) has no URI for registrations.", nameof(directory));
    }

    /// <summary>Waits until the endpoint is registered.</summary>
    /// <remarks><see cref="Status"/> has the failed attempts.</remarks>
    /// <param name="cancellationToken">Stops waiting; the registration continues.</param>
    /// <returns>The status after the registration.</returns>
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

    /// <summary>Waits for another <see cref="Status"/>, for callers that follow it without the event.</summary>
    /// <param name="known">The status that the caller knows.</param>
    /// <param name="cancellationToken">Stops waiting; the registration continues.</param>
    /// <returns>The newest status; if several were set meanwhile, the last one.</returns>
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
    /// Sends changes to the directory now, instead of with the next refresh: new results of <see cref="CoapRegistrationOptions.Links"/>,
    /// and the arguments.
    /// </summary>
    /// <remarks>Without a change it is a refresh. Call it also when the directory is known to be back.</remarks>
    /// <param name="baseUri">The new base URI of the endpoint; null for no change.</param>
    /// <param name="links">The new links, which replace the previous ones; null for no change.</param>
    /// <param name="cancellationToken">Stops waiting; the change is still sent.</param>
    /// <returns>A task that completes when the directory has it.</returns>
    /// <exception cref="ArgumentException">The base is not an absolute CoAP URI, or has a path, a query or a zone.</exception>
    /// <exception cref="CoapException">The attempt failed. The registration keeps trying, as <see cref="Status"/> says.</exception>
    /// <exception cref="ObjectDisposedException">The registration was stopped.</exception>
    public Task UpdateAsync(CoapUri? baseUri = null, IEnumerable<CoapLink>? links = null, CancellationToken cancellationToken = default)
    {
        RegistrationUpdateContent change = new(ClientRegistrationRules.CheckBase(baseUri, nameof(baseUri)), links);
        return _loop.UpdateAsync(change).WaitAsync(cancellationToken);
    }

    /// <inheritdoc cref="UpdateAsync(CoapUri, IEnumerable{CoapLink}, CancellationToken)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public Task UpdateAsync(string baseUri, IEnumerable<CoapLink>? links = null, CancellationToken cancellationToken = default) =>
        UpdateAsync(CoapUri.FromString(baseUri), links, cancellationToken);

    /// <summary>Stops, and removes the endpoint from the directory (<see cref="CoapRegistrationOptions.RemoveAtEnd"/>).</summary>
    /// <remarks>
    /// It does not remove an ended registration, because its location may belong to another endpoint. It waits for a silent directory no
    /// longer than <see cref="CoapRegistrationOptions.EndTimeout"/>; the directory forgets the endpoint after the lifetime.
    /// </remarks>
    /// <param name="cancellationToken">Ends the wait for the directory.</param>
    /// <returns>A task that completes when it has stopped. It does not fail.</returns>
    public Task StopAsync(CancellationToken cancellationToken = default) => _loop.StopAsync(_running, cancellationToken);

    /// <summary>Stops; see <see cref="StopAsync"/>.</summary>
    /// <returns>A task that completes when it has stopped.</returns>
    public async ValueTask DisposeAsync() => await StopAsync(CancellationToken.None).ConfigureAwait(false);

    /// <summary>Returns directory and status, human-readable.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => $"{Status.Directory}: {Status}";

    /// <summary>Sets a new status. Called by one thread at a time.</summary>
    internal void Report(CoapRegistrationStatus status, ILogger log)
    {
        Volatile.Write(ref _status, status);
        Interlocked.Exchange(ref _changed, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).TrySetResult();
        UserCodeScope.Enter();
        try
        {
            StatusChanged?.Invoke(this, status);
        }
#pragma warning disable CA1031 // handlers of users may throw anything; the registration goes on
        catch (Exception exception)
#pragma warning restore CA1031
        {
            RegistrationLog.RegistrationHandlerFailed(log, exception);
        }
        finally
        {
            UserCodeScope.Exit();
        }
    }
}

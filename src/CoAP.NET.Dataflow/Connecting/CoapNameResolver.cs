using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Connecting;

/// <summary>Looks up the addresses of host names, with bounds for each client that names hosts.</summary>
/// <remarks>
/// <para>
/// The name server of a name decides how long its lookup takes. Clients that name hosts must therefore not occupy all lookups. Concurrent
/// lookups of one name are one lookup. Of different names, <see cref="MaxLookups"/> run at a time.
/// </para>
/// <para>
/// Lookups of the caller itself wait for a place. A lookup for another client (<see cref="CoapRequest.OnBehalfOf"/>) fails at once with
/// a <see cref="CoapException"/> (<see cref="CoapError.Busy"/>) if there is none, or if the client has <see cref="MaxLookupsPerSource"/>.
/// It fails with the earlier error if a lookup of the name failed less than 5 s ago.
/// </para>
/// Every endpoint has one around <see cref="CoapTransportOptions.ResolveHost"/>. Code that connects to hosts for clients of a proxy needs
/// its own. Thread-safe.
/// </remarks>
internal sealed class CoapNameResolver
{
    /// <summary>The maximum number of names that are looked up at a time: 16.</summary>
    public const int MaxLookups = 16;

    /// <summary>The maximum number of those for one source (<see cref="CoapQuotaSource"/>): 4.</summary>
    public const int MaxLookupsPerSource = 4;

    private const int MaxFailures = 1024;

    private static readonly TimeSpan s_failureLasts = TimeSpan.FromSeconds(5);

    private readonly Func<string, CancellationToken, Task<IPAddress[]>> _resolve;
    private readonly TimeProvider _time;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, NameLookup> _running = new(StringComparer.OrdinalIgnoreCase);
    private readonly SourceLedger<CoapQuotaSource> _sources = new(MaxLookups, MaxLookupsPerSource);
    private readonly Queue<NameLookup> _waiting = new();

    private readonly LruDictionary<string, (SocketError Error, long At)> _failures = new(MaxFailures, StringComparer.OrdinalIgnoreCase);
    private int _count;

    /// <summary>Creates a resolver.</summary>
    /// <param name="resolve">Finds the addresses of a name; null for the resolver of the operating system. Its token is cancelled when
    /// no caller waits any more. The lookup keeps its place until the task ends.</param>
    /// <param name="timeProvider">The clock; null for that of the system.</param>
    public CoapNameResolver(
        Func<string, CancellationToken, Task<IPAddress[]>>? resolve = null, TimeProvider? timeProvider = null)
    {
        _resolve = resolve ?? OfSystemAsync;
        _time = timeProvider ?? TimeProvider.System;
    }

    /// <summary>Finds the addresses of a name.</summary>
    /// <param name="name">The name.</param>
    /// <param name="onBehalfOf">The client that named the host; null for the caller itself.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The addresses; empty if the name has none.</returns>
    /// <exception cref="SocketException">The lookup failed; see <see cref="SocketException.SocketErrorCode"/>.</exception>
    /// <exception cref="CoapException">Too many lookups for clients are running.</exception>
    public Task<IPAddress[]> FindAsync(string name, CoapQuotaSource? onBehalfOf = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(name);
        NameLookup? lookup;
        bool begins = false;
        lock (_gate)
        {
            if (!_running.TryGetValue(name, out lookup))
            {
                if (onBehalfOf is not null && FailureOf(name) is { } failure)
                {
                    return Task.FromException<IPAddress[]>(failure);
                }

                begins = _count < MaxLookups && (onBehalfOf is not { } source || _sources.TryTake(source));
                if (onBehalfOf is not null && !begins)
                {
                    return Task.FromException<IPAddress[]>(new CoapException(
                        CoapError.Busy,
                        $"The host name {name} was not looked up, because too many lookups for clients are running: {_count} of at most "
                            + $"{MaxLookups}, with at most {MaxLookupsPerSource} of one client. Try again later, or use an address."));
                }

                lookup = new NameLookup(name, onBehalfOf);
                _running.Add(name, lookup);
                if (begins)
                {
                    _count++;
                }
                else
                {
                    _waiting.Enqueue(lookup);
                }
            }

            lookup.Waiters++;
        }

        if (begins)
        {
            Run(lookup);
        }

        return lookup.Task.IsCompleted ? lookup.Task : WaitAsync(lookup, cancellationToken);
    }

    /// <summary>The resolver of the operating system.</summary>
    /// <param name="name">The name.</param>
    /// <param name="cancellationToken">Unused, because the operating system offers no way to stop it.</param>
    internal static Task<IPAddress[]> OfSystemAsync(string name, CancellationToken cancellationToken)
    {
        if (OperatingSystem.IsBrowser())
        {
            return Task.FromException<IPAddress[]>(new PlatformNotSupportedException(
                "A browser does not reveal the addresses of a name. Give the resolver a function of your own."));
        }

        // On Linux it blocks its thread until the name servers answer, for up to 30 s. On the shared pool it would stop other code.
        TaskCompletionSource<IPAddress[]> found = new(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!CoapThreadScheduler.Default.Queue(Look, (name, found)))
        {
            found.SetException(new SocketException((int)SocketError.TryAgain));
        }

        return found.Task;

        static void Look(object? state)
        {
            (string name, TaskCompletionSource<IPAddress[]> found) = ((string, TaskCompletionSource<IPAddress[]>))state!;
            try
            {
#pragma warning disable CA1416 // not in a browser, see above
                found.SetResult(Dns.GetHostAddresses(name));
#pragma warning restore CA1416
            }
#pragma warning disable CA1031 // the callers that wait get it
            catch (Exception exception)
#pragma warning restore CA1031
            {
                found.SetException(exception);
            }
        }
    }

    private async Task<IPAddress[]> WaitAsync(NameLookup lookup, CancellationToken cancellationToken)
    {
        try
        {
            return await lookup.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            Leave(lookup);
        }
    }

    private void Leave(NameLookup lookup)
    {
        lock (_gate)
        {
            if (--lookup.Waiters > 0 || lookup.Task.IsCompleted)
            {
                return;
            }

            // It ends now without a result, so the next caller looks up again.
            Forget(lookup);
        }

        lookup.GiveUp();
    }

    private void Run(NameLookup? lookup)
    {
        while (lookup is not null)
        {
            Task<IPAddress[]> task = Begin(lookup);
            if (!task.IsCompleted)
            {
                task.ContinueWith(
                    static (ended, state) =>
                    {
                        (CoapNameResolver resolver, NameLookup lookup) = ((CoapNameResolver, NameLookup))state!;
                        resolver.Run(resolver.End(lookup, ended));
                    },
                    (this, lookup),
                    CancellationToken.None,
                    TaskContinuationOptions.ExecuteSynchronously,
                    TaskScheduler.Default);
                return;
            }

            lookup = End(lookup, task);
        }
    }

    private Task<IPAddress[]> Begin(NameLookup lookup)
    {
        try
        {
            return _resolve(lookup.Name, lookup.GivenUp);
        }
#pragma warning disable CA1031 // the callers that wait get it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            return Task.FromException<IPAddress[]>(exception);
        }
    }

    /// <summary>Ends a lookup, and gives its place to the next one.</summary>
    private NameLookup? End(NameLookup lookup, Task<IPAddress[]> task)
    {
        NameLookup? next = null;
        lock (_gate)
        {
            Forget(lookup);
            if (lookup.OnBehalfOf is { } source)
            {
                _sources.Return(source);
            }

            if (task.Exception?.InnerException is SocketException failure)
            {
                _failures.Set(lookup.Name, (failure.SocketErrorCode, _time.GetTimestamp()));
            }

            while (next is not { Waiters: > 0 } && _waiting.TryDequeue(out next))
            {
                // Skips lookups for which no caller waits.
            }

            if (next is not { Waiters: > 0 })
            {
                next = null;
                _count--;
            }
        }

        lookup.Complete(task);
        return next;
    }

    private void Forget(NameLookup lookup)
    {
        if (_running.TryGetValue(lookup.Name, out NameLookup? running) && running == lookup)
        {
            _running.Remove(lookup.Name);
        }
    }

    private SocketException? FailureOf(string name) =>
        _failures.TryGetValue(name, out (SocketError Error, long At) failed) && _time.GetElapsedTime(failed.At) < s_failureLasts
            ? new SocketException((int)failed.Error)
            : null;
}

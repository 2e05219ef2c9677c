using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Calls an asynchronous store of resumable sessions with a limited wait and a limited number of concurrent calls, so that even a store
/// that never answers is harmless. A failure costs a full handshake. Thread-safe.
/// </summary>
/// <param name="store">The store.</param>
/// <param name="server">Its server, which counts failures.</param>
/// <param name="time">The clock.</param>
internal sealed class ResumptionStoreGuard(ICoapDtlsResumptionStore store, DtlsServer server, TimeProvider time)
{
    /// <summary>How long a handshake waits: less than a client's time to the retransmission of its ClientHello.</summary>
    public static readonly TimeSpan LongestWait = TimeSpan.FromMilliseconds(500);

    /// <summary>Maximum number of concurrent calls.</summary>
    public const int MaxCalls = 256;

    private const string Option = "CoapDtlsServerOptions.ResumptionStore";

    private static readonly TimeSpan s_longestWrite = TimeSpan.FromSeconds(10);

    // How long the server bypasses a store that did not answer in time.
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    private int _calls;
    private long _slowAt;
    private bool _isSlow;

    /// <summary>Gets the state of a session from the store.</summary>
    /// <param name="id">The name from the client.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The state, which the caller wipes; null for a full handshake.</returns>
    public async ValueTask<byte[]?> FindAsync(byte[] id, CancellationToken cancellationToken)
    {
        if (IsPausing() || !TryBegin())
        {
            return null;
        }

        Task<byte[]?> search = SearchAsync(id, cancellationToken);
        bool isTaken = false;
        try
        {
            byte[]? state = await search.WaitAsync(LongestWait, time, cancellationToken).ConfigureAwait(false);
            isTaken = true;
            return state;
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            if (exception is TimeoutException)
            {
                Volatile.Write(ref _slowAt, time.GetTimestamp());
                Volatile.Write(ref _isSlow, true);
            }

            server.OnResumptionFailed(Option, exception is TimeoutException ? null : exception);
            return null;
        }
        finally
        {
            if (!isTaken)
            {
                _ = WipeAsync(search);
            }
        }
    }

    /// <summary>Stores a session without waiting.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="state">Its state; wiped afterwards.</param>
    /// <param name="expires">When the state becomes useless.</param>
    public void Add(byte[] id, byte[] state, DateTimeOffset expires) =>
        _ = WriteAsync(cancellation => store.AddAsync(id, state, expires, cancellation), state);

    /// <summary>Removes a session without waiting.</summary>
    /// <param name="id">Its name.</param>
    public void Remove(byte[] id) => _ = WriteAsync(cancellation => store.RemoveAsync(id, cancellation), []);

    private static async Task WipeAsync(Task<byte[]?> search)
    {
        await ((Task)search).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (search.IsCompletedSuccessfully)
        {
            CryptographicOperations.ZeroMemory(search.Result);
        }
    }

    private async Task<byte[]?> SearchAsync(byte[] id, CancellationToken cancellationToken)
    {
        try
        {
            return await store.FindAsync(id, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _calls);
        }
    }

    private async Task WriteAsync(Func<CancellationToken, ValueTask> write, byte[] state)
    {
        if (!TryBegin())
        {
            CryptographicOperations.ZeroMemory(state);
            return;
        }

        using CancellationTokenSource end = new();
        using ITimer timer = time.CreateTimer(static source => ((CancellationTokenSource)source!).Cancel(), end, s_longestWrite,
            Timeout.InfiniteTimeSpan);
        try
        {
            await write(end.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // any exception of a user's store costs the next handshake the short form
        catch (Exception exception)
#pragma warning restore CA1031
        {
            server.OnResumptionFailed(Option, exception is OperationCanceledException ? null : exception);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(state);
            Interlocked.Decrement(ref _calls);
        }
    }

    private bool IsPausing()
    {
        if (!Volatile.Read(ref _isSlow))
        {
            return false;
        }

        if (time.GetElapsedTime(Volatile.Read(ref _slowAt)) < s_pause)
        {
            return true;
        }

        Volatile.Write(ref _isSlow, false);
        return false;
    }

    private bool TryBegin()
    {
        if (Interlocked.Increment(ref _calls) <= MaxCalls)
        {
            return true;
        }

        Interlocked.Decrement(ref _calls);
        server.Counters.AddResumptionFailure();
        return false;
    }
}

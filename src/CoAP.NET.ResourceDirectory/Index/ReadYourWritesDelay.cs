using System.Buffers.Binary;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>
/// Delays responses until this node has learned of a decision of another node, because the client may look it up here at once. The news
/// come right after the decision. Thread-safe.
/// </summary>
/// <param name="index">The index of this node.</param>
/// <param name="time">The clock.</param>
internal sealed class ReadYourWritesDelay(DirectoryIndex index, TimeProvider time)
{
    // Without a notification the response is sent nevertheless.
    private static readonly TimeSpan s_maxDelay = TimeSpan.FromSeconds(2);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapTableKey, TaskCompletionSource> _awaited = [];

    /// <summary>The number of awaited registrations.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _awaited.Count;
            }
        }
    }

    /// <summary>Writes the time of a decision into the reply for the waiting node; nodes before this version send none.</summary>
    public static byte[] Write(DirectoryDecision answer, DateTimeOffset now)
    {
        byte[] reply = new byte[1 + sizeof(long)];
        reply[0] = (byte)answer;
        BinaryPrimitives.WriteInt64LittleEndian(reply.AsSpan(1), now.ToUnixTimeMilliseconds());
        return reply;
    }

    /// <summary>Waits until a change is known here, for 2 s at most.</summary>
    /// <param name="key">The registration.</param>
    /// <param name="what">The question.</param>
    /// <param name="reply">The reply, from <see cref="Write"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    public async ValueTask WaitForUpdateAsync(
        CoapTableKey key, DirectorySlotOwnerRequest.Operation what, ReadOnlyMemory<byte> reply, CancellationToken cancellationToken)
    {
        if (what > DirectorySlotOwnerRequest.Operation.Remove || reply.Length < 1 + sizeof(long))
        {
            return;
        }

        long decidedAt = BinaryPrimitives.ReadInt64LittleEndian(reply.Span[1..]);
        long start = time.GetTimestamp();
        while (true)
        {
            TaskCompletionSource? awaited;
            TimeSpan left = s_maxDelay - time.GetElapsedTime(start);
            lock (_gate)
            {
                if (IsHeard(key, what, decidedAt) || left <= TimeSpan.Zero)
                {
                    return;
                }

                if (!_awaited.TryGetValue(key, out awaited))
                {
                    _awaited.Add(key, awaited = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
                }
            }

            try
            {
                await awaited.Task.WaitAsync(left, time, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is TimeoutException or OperationCanceledException)
            {
                // Others that wait for the same change look again.
                OnHeard(key);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    /// <summary>Wakes the waiters of a change, which is already in the index.</summary>
    public void OnHeard(CoapTableKey key)
    {
        TaskCompletionSource? awaited;
        lock (_gate)
        {
            _awaited.Remove(key, out awaited);
        }

        awaited?.SetResult();
    }

    // The index may already hold a newer state; a removed registration may exist again.
    private bool IsHeard(CoapTableKey key, DirectorySlotOwnerRequest.Operation what, long decidedAt) =>
        index.Find(key.Bytes) is { } known
            ? known.ChangedAt > decidedAt || (known.ChangedAt == decidedAt && what != DirectorySlotOwnerRequest.Operation.Remove)
            : what == DirectorySlotOwnerRequest.Operation.Remove;
}

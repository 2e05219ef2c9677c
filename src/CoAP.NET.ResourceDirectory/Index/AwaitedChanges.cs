using System.Buffers.Binary;
using CoAP.NET.Cluster;

namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Answers that wait until this node has heard of what another one has decided, as its client may look it up here at once. The news come
/// right behind the decision. Thread-safe.
/// </summary>
/// <param name="index">What this node knows.</param>
/// <param name="time">The time.</param>
internal sealed class AwaitedChanges(DirectoryIndex index, TimeProvider time)
{
    // Where they do not come, the answer holds all the same.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapTableKey, TaskCompletionSource> _awaited = [];

    /// <summary>How many registrations are waited for.</summary>
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

    /// <summary>What an answer says of when it was decided, to whoever waits for it; nodes before this version say nothing.</summary>
    /// <param name="answer">The answer.</param>
    /// <param name="now">Now, by the clock of whoever decides.</param>
    public static byte[] Write(DirectoryAnswer answer, DateTimeOffset now)
    {
        byte[] reply = new byte[1 + sizeof(long)];
        reply[0] = (byte)answer;
        BinaryPrimitives.WriteInt64LittleEndian(reply.AsSpan(1), now.ToUnixTimeMilliseconds());
        return reply;
    }

    /// <summary>Waits until a change is known here, for 2 s at most.</summary>
    /// <param name="key">The registration.</param>
    /// <param name="what">What was asked.</param>
    /// <param name="reply">What <see cref="Write"/> wrote.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async ValueTask HearAsync(
        CoapTableKey key, DirectoryQuestion.Verb what, ReadOnlyMemory<byte> reply, CancellationToken cancellationToken)
    {
        if (what > DirectoryQuestion.Verb.Remove || reply.Length < 1 + sizeof(long))
        {
            return;
        }

        long decidedAt = BinaryPrimitives.ReadInt64LittleEndian(reply.Span[1..]);
        long start = time.GetTimestamp();
        while (true)
        {
            TaskCompletionSource? awaited;
            TimeSpan left = s_patience - time.GetElapsedTime(start);
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
                // Others that wait for the same look again.
                OnHeard(key);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }

    /// <summary>This node has heard of a change, which is in the index by now.</summary>
    /// <param name="key">The registration.</param>
    public void OnHeard(CoapTableKey key)
    {
        TaskCompletionSource? awaited;
        lock (_gate)
        {
            _awaited.Remove(key, out awaited);
        }

        awaited?.SetResult();
    }

    // Something newer may be there already; what was removed may have been registered again.
    private bool IsHeard(CoapTableKey key, DirectoryQuestion.Verb what, long decidedAt) =>
        index.Find(key.Bytes) is { } known
            ? known.ChangedAt > decidedAt || (known.ChangedAt == decidedAt && what != DirectoryQuestion.Verb.Remove)
            : what == DirectoryQuestion.Verb.Remove;
}

using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Keyed entries of bytes that every node has in memory in full. Only the node that owns the slot of a key changes its entry, by
/// <see cref="ICoapTableRules"/>, and tells all others. A table of a cluster (<see cref="CoapCluster.OpenTable"/>) keeps its entries in
/// the store; <see cref="InMemory"/> makes a table of one process that keeps nothing. Thread-safe.
/// </summary>
public abstract class CoapTable : IAsyncDisposable
{
    /// <summary>The maximum length of a value, and of a reply: 61,440 bytes.</summary>
    public const int MaxValueLength = 60 * 1024;

    /// <summary>The maximum length of a question: 65,536 bytes.</summary>
    public const int MaxQuestionLength = 64 * 1024;

    private protected CoapTable()
    {
    }

    /// <summary>The number of entries that this node has.</summary>
    public abstract int Count { get; }

    /// <summary>The bytes of their keys and values.</summary>
    public abstract long Bytes { get; }

    /// <summary>Creates a table of one process that keeps nothing: for servers without a cluster, and for tests.</summary>
    /// <param name="rules">What decides, and is told of changes.</param>
    /// <param name="timeProvider">The clock of lifetimes; null for the system clock.</param>
    /// <param name="options">Bounds, which are copied; null for the defaults.</param>
    /// <param name="logger">Is told what <see cref="ICoapTableRules.OnChanged"/> throws; null for none.</param>
    /// <returns>The table. It can be asked at once.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static CoapTable InMemory(
        ICoapTableRules rules, TimeProvider? timeProvider = null, CoapTableOptions? options = null, ILogger? logger = null)
    {
        ArgumentNullException.ThrowIfNull(rules);
        return new MemoryTable(rules, timeProvider ?? TimeProvider.System, (options ?? new CoapTableOptions()).Checked(), logger);
    }

    /// <summary>
    /// Loads the entries. Each of them is told to <see cref="ICoapTableRules.OnChanged"/> before the task completes. While the store is
    /// unavailable, it is asked again every second. In memory there is nothing to load. Calling it again waits for the same.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting; loading goes on.</param>
    /// <returns>A task that completes when the entries are there.</returns>
    /// <exception cref="ObjectDisposedException">The table or its cluster has ended.</exception>
    public abstract Task StartAsync(CancellationToken cancellationToken = default);

    /// <summary>
    /// Asks <see cref="ICoapTableRules.Decide"/> at the node that owns the slot of a key. In memory it completes synchronously. While a
    /// slot moves, or its node has died, the question waits, and is asked at the new owner.
    /// </summary>
    /// <param name="key">The key of the entry.</param>
    /// <param name="question">What the rules are asked: bytes that they understand, at most <see cref="MaxQuestionLength"/>. They must not
    /// change before the task has completed.</param>
    /// <param name="cancellationToken">Stops waiting. What was asked may take effect all the same.</param>
    /// <returns>The reply of the rules. What it says of a durable change, the store has confirmed.</returns>
    /// <remarks>
    /// When an answer is lost on its way between two nodes, the question is decided once more. So rules have to be idempotent: the same
    /// question again has to lead to the same entry.
    /// </remarks>
    /// <exception cref="CoapTableUnavailableException">The owner cannot be reached, the store does not confirm in time, or there is no
    /// room. A server answers 5.03 (Service Unavailable) with its <see cref="CoapTableUnavailableException.RetryAfter"/>.</exception>
    /// <exception cref="CoapException">The rules failed at another node; its log says why.</exception>
    /// <exception cref="ArgumentException">The key is empty, or the question is too long.</exception>
    /// <exception cref="InvalidOperationException">The rules asked the table while it called them. Do it afterwards, on another thread.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The table or its cluster has ended.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>> AskAsync(
        CoapTableKey key, ReadOnlyMemory<byte> question, CancellationToken cancellationToken = default);

    /// <summary>
    /// Makes a key of a name that strangers may choose. It is hashed with a secret that all nodes of the cluster have, so nobody else can
    /// choose names whose keys are in the same slot. In memory the secret is random.
    /// </summary>
    /// <param name="name">The name, of any length.</param>
    /// <returns>A key of 16 bytes; in a cluster the same on every node and after every restart.</returns>
    public abstract CoapTableKey KeyOf(ReadOnlySpan<byte> name);

    /// <summary>Ends the table on this node. The entries of a cluster stay in the store and on the other nodes.</summary>
    /// <returns>A task that completes then.</returns>
    public abstract ValueTask DisposeAsync();

    private protected static void Check(CoapTableKey key, ReadOnlyMemory<byte> question)
    {
        if (key.Bytes.IsEmpty)
        {
            throw new ArgumentException("The key has no bytes.", nameof(key));
        }

        if (question.Length > MaxQuestionLength)
        {
            throw new ArgumentException(
                $"A question has at most {MaxQuestionLength} bytes, and not {question.Length}.", nameof(question));
        }
    }
}

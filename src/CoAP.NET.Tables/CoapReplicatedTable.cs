using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tables;

/// <summary>Keyed entries of bytes, with a full copy in the memory of every node. Thread-safe.</summary>
/// <remarks>
/// Only the node that owns the slot of a key changes its entry, according to <see cref="ICoapReplicatedTableRules"/>, and notifies all
/// others. A table of a cluster (<c>CoapCluster.OpenTable</c>) keeps its entries in the store; <see cref="InMemory"/> creates a table of
/// one process without a store.
/// </remarks>
internal abstract class CoapReplicatedTable : IAsyncDisposable
{
    /// <summary>The maximum length of a value, and of a reply: 61,440 bytes.</summary>
    public const int MaxValueLength = 60 * 1024;

    /// <summary>The maximum length of a question: 65,536 bytes.</summary>
    public const int MaxQuestionLength = 64 * 1024;

    internal CoapReplicatedTable()
    {
    }

    /// <summary>The name of this node among those that share the table; empty in memory.</summary>
    internal virtual string Node => string.Empty;

    /// <summary>The number of entries that this node has.</summary>
    public abstract int Count { get; }

    /// <summary>The bytes of their keys and values.</summary>
    public abstract long Bytes { get; }

    /// <summary>Creates a table of one process without a store: for servers without a cluster, and for tests.</summary>
    /// <param name="rules">Makes the decisions, and receives the changes.</param>
    /// <param name="timeProvider">The clock of lifetimes; null for the system clock.</param>
    /// <param name="options">Limits, read-only from now on; null for the defaults.</param>
    /// <param name="logger">The log of exceptions of <see cref="ICoapReplicatedTableRules.OnChanged"/>; null for none.</param>
    /// <param name="random">The source of the secret that keys are made with; null for the operating system. Use another one in tests
    /// only.</param>
    /// <returns>The table, ready for questions.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public static CoapReplicatedTable InMemory(
        ICoapReplicatedTableRules rules, TimeProvider? timeProvider = null, CoapReplicatedTableOptions? options = null,
        ILogger? logger = null, CoapRandomSource? random = null)
    {
        ArgumentNullException.ThrowIfNull(rules);
        return new MemoryTable(
            rules, timeProvider ?? TimeProvider.System, (options ?? new CoapReplicatedTableOptions()).MakeReadOnlyFor("a table"), logger,
            random);
    }

    /// <summary>Loads the entries.</summary>
    /// <remarks>
    /// Before the task completes, <see cref="ICoapReplicatedTableRules.OnChanged"/> gets each of them. While the store is unavailable, the
    /// table retries every second. A table in memory has nothing to load. Further calls wait for the same load.
    /// </remarks>
    /// <param name="cancellationToken">Stops waiting; loading continues.</param>
    /// <returns>A task that completes when the entries are loaded.</returns>
    /// <exception cref="ObjectDisposedException">The table or its cluster is disposed.</exception>
    public abstract Task StartAsync(CancellationToken cancellationToken = default);

    /// <summary>Sends a question to <see cref="ICoapReplicatedTableRules.Decide"/> at the node that owns the slot of a key.</summary>
    /// <param name="key">The key of the entry.</param>
    /// <param name="question">The question for the rules: bytes in their own format, at most <see cref="MaxQuestionLength"/>. They must not
    /// change before the task has completed.</param>
    /// <param name="cancellationToken">Stops waiting. The question may take effect nevertheless.</param>
    /// <returns>The reply of the rules. The store has confirmed a durable change.</returns>
    /// <remarks>
    /// In memory it completes synchronously. While a slot moves, or its node has died, the question waits, and goes to the new owner.
    /// <para>If an answer is lost between two nodes, the question is decided again. Rules must therefore be idempotent: the same question
    /// again must lead to the same entry.</para>
    /// </remarks>
    /// <exception cref="CoapTableUnavailableException">The owner is not reachable, the store does not confirm in time, or there is no room.
    /// A server answers 5.03 (Service Unavailable) with its <see cref="CoapException.RetryAfter"/>.</exception>
    /// <exception cref="CoapException">The rules failed at another node; see its log.</exception>
    /// <exception cref="ArgumentException">The key is empty, or the question is too long.</exception>
    /// <exception cref="InvalidOperationException">The rules used the table during their own call. Do it afterwards, on another
    /// thread.</exception>
    /// <exception cref="ObjectDisposedException">The table or its cluster is disposed.</exception>
    public abstract ValueTask<ReadOnlyMemory<byte>> RequestAsync(
        CoapTableKey key, ReadOnlyMemory<byte> question, CancellationToken cancellationToken = default);

    /// <summary>Creates a key for a name that strangers may choose.</summary>
    /// <remarks>
    /// The key is a hash with a secret of the cluster, so attackers cannot choose names whose keys are in the same slot. In memory the
    /// secret is random.
    /// </remarks>
    /// <returns>A key of 16 bytes; in a cluster the same on every node and after every restart.</returns>
    /// <exception cref="CoapTableUnavailableException">The node has not joined the cluster yet.</exception>
    public abstract CoapTableKey KeyOf(ReadOnlySpan<byte> name);

    /// <summary>Ends the table on this node. Entries in a cluster remain in the store and on the other nodes.</summary>
    /// <returns>A task that completes when it has ended.</returns>
    public abstract ValueTask DisposeAsync();

    internal static void Check(CoapTableKey key, ReadOnlyMemory<byte> question)
    {
        if (key.Bytes.IsEmpty)
        {
            throw new ArgumentException("The key is empty. Use a key with at least one byte.", nameof(key));
        }

        if (question.Length > MaxQuestionLength)
        {
            throw new ArgumentException(
                $"A question may have at most {MaxQuestionLength} bytes; this one has {question.Length}.", nameof(question));
        }
    }
}

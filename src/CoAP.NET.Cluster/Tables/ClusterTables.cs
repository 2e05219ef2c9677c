using System.Collections.Concurrent;
using System.Security.Cryptography;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The tables of a node: serves the other nodes, and releases slots that move. Thread-safe.</summary>
internal sealed class ClusterTables : ISlotHolder, IClusterLinkListener
{
    public const string AskPath = "/table-ask";
    public const string ChangesPath = "/table-changes";
    public const string ComparePath = "/table-compare";

    private readonly CoapCluster _cluster;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly byte[] _secret = new byte[CoapSealedClusterStore.SecretLength];
    private readonly ConcurrentDictionary<CoapRecordKind, ClusterTable> _tables = new();

    public ClusterTables(CoapCluster cluster, ReadOnlySpan<byte> secret, TimeProvider time, ILogger logger)
    {
        (_cluster, _time, _logger) = (cluster, time, logger);
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, _secret, default, "CoAP.NET cluster tables 1"u8);
        cluster.MapChanged += (_, _) => ForEach(static table => table.OnMapChanged());
        if (cluster.Links.IsOn)
        {
            cluster.Links.Listen(this);
            cluster.Links.Routes.MapPost(AskPath, ServeAsync);
            cluster.Links.Routes.MapPost(ChangesPath, ReadChangesAsync);
            cluster.Links.Routes.MapPost(ComparePath, Compare);
        }
    }

    /// <summary>The number of entries of all tables.</summary>
    public long Count => _tables.Values.Sum(static table => (long)table.Count);

    /// <summary>The bytes of their keys and values.</summary>
    public long Bytes => _tables.Values.Sum(static table => table.Bytes);

    /// <summary>Opens a table.</summary>
    public CoapTable Open(CoapRecordKind kind, ICoapTableRules rules, CoapTableOptions? options)
    {
        ArgumentNullException.ThrowIfNull(rules);
        if (kind is not (CoapRecordKind.Registration or CoapRecordKind.Topic or >= CoapRecordKind.Application))
        {
            throw new ArgumentOutOfRangeException(nameof(kind), kind, "Records of this kind do not belong to a table. Use Registration, "
                + "Topic, or a number from Application on.");
        }

        ClusterTable table = new(_cluster, kind, rules, (options ?? new CoapTableOptions()).Checked(), _secret, _time, _logger);
        return _tables.TryAdd(kind, table)
            ? table
            : throw new InvalidOperationException($"The table of {kind} is already open. Dispose of it first, or use another kind.");
    }

    /// <summary>Removes an ended table.</summary>
    public void Remove(CoapRecordKind kind, ClusterTable table) => _tables.TryRemove(KeyValuePair.Create(kind, table));

    /// <summary>Handles a change in a slot of this node.</summary>
    public void OnChanged(CoapRecordKind kind) => _tables.GetValueOrDefault(kind)?.Feed.OnChanged();

    /// <summary>Handles slots that were read from the store.</summary>
    public void OnMoved(CoapRecordKind kind) => _tables.GetValueOrDefault(kind)?.OnLoaded();

    public Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken) =>
        Task.WhenAll(_tables.Values.Select(table => table.ReleaseAsync(slot))).WaitAsync(cancellationToken);

    public void OnUp(CoapNodeId node) => ForEach(table => table.Follow(node));

    public void OnDown(CoapNodeId node) => ForEach(table => table.Unfollow(node));

    /// <summary>Ends all tables.</summary>
    public async Task EndAsync()
    {
        foreach (ClusterTable table in _tables.Values)
        {
            await table.DisposeAsync().ConfigureAwait(false);
        }

        CryptographicOperations.ZeroMemory(_secret);
    }

    private void ForEach(Action<ClusterTable> tell)
    {
        foreach (ClusterTable table in _tables.Values)
        {
            tell(table);
        }
    }

    private async Task<CoapResult> ServeAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        CoapNodeId node = _cluster.Links.NodeOf(request);
        return !node.IsSet || !TableReply.TryReadQuestion(
                request.Payload, out CoapRecordKind kind, out CoapTableKey key, out ReadOnlyMemory<byte> question)
            ? CoapResults.BadRequest("The payload is not a question.")
            : _tables.GetValueOrDefault(kind) is { } table
                ? await table.ServeAsync(node, key, question, cancellationToken).ConfigureAwait(false)
                : TableReply.Moved();
    }

    private async Task<CoapResult> ReadChangesAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        CoapNodeId node = _cluster.Links.NodeOf(request);
        ReadOnlyMemory<byte> payload = request.Payload;
        return !node.IsSet || payload.IsEmpty
            ? CoapResults.BadRequest("The payload names no table.")
            : _tables.GetValueOrDefault((CoapRecordKind)payload.Span[0]) is { } table
                ? TableReply.Of(await table.Feed.ReadAsync(node, payload[1..], cancellationToken).ConfigureAwait(false))
                : CoapResults.NotFound();
    }

    private CoapResult Compare(CoapRequest request)
    {
        ReadOnlySpan<byte> payload = request.Payload.Span;
        return !TableWire.TryReadByte(ref payload, out byte kind) || !TableWire.TryReadByte(ref payload, out byte slot)
            || !TablePlace.TryRead(ref payload, out TablePlace after) || payload.Length != TableDigests.Length
            ? CoapResults.BadRequest("The payload is not a list of digests.")
            : _tables.GetValueOrDefault((CoapRecordKind)kind) is { } table
                ? TableReply.Of(table.Feed.ReadDifference(new CoapSlot(slot), payload, after))
                : CoapResults.NotFound();
    }
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Cryptography;
using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Stores;

/// <summary>
/// Encrypts the records of another store, so that neither a file nor a database, nor a backup, reveals keys of sessions or data of devices.
/// Nodes with another secret do not join. Thread-safe.
/// </summary>
/// <remarks>
/// It encrypts states (AES-256-GCM) and authenticates them together with the keys of their records, under a key per process that is derived
/// from the secret of the cluster (HKDF). Keys, slots, fences and lifetimes stay readable, and so do the numbers of OSCORE contexts, which
/// are not secret (<see cref="CoapRecordKind.OscoreContext"/>). Disposing of it disposes of the other store as well.
/// <para>Each node adds a message authentication code to its address in the map, which needs the secret. Nodes without a valid one are not
/// in the maps that this store returns, and are logged once. One record shows which secret the cluster has: a node with another one fails
/// to join (<see cref="CoapClusterStoreFault.OtherSecret"/>).</para>
/// <para>An attacker with write access to the store can delete records and restore older ones, which cannot be detected. A record encrypted
/// with another secret, or stored under another key, does not open: <see cref="ReadAsync"/> skips and counts it, and
/// <see cref="FindAsync"/> fails, because "unreadable" must not be mistaken for "never written".</para>
/// </remarks>
internal sealed class CoapSealedClusterStore : ICoapClusterStore
{
    /// <summary>The length of the secret: 32 bytes.</summary>
    public const int SecretLength = 32;

    /// <summary>The maximum length of a state: 65,491 bytes, 45 less than in the store itself.</summary>
    public const int MaxStateLength = CoapRecordWrite.MaxStateLength - StoreRecordCipher.Overhead;

    private readonly ICoapClusterStore _inner;
    private readonly StoreRecordCipher _cipher;
    private readonly NodeAddressSealer _seals;
    private readonly ClusterSecretCheckRecord _mark;
    private readonly ILogger _logger;
    private readonly RateLimitedLog _told;
    private readonly RateLimitedLog _toldTooNew;
    private readonly Lock _gate = new();
    private HashSet<CoapNodeId> _strangers = [];
    private long _unreadable;

    /// <summary>Creates an encrypting store.</summary>
    /// <param name="inner">The store of the encrypted records.</param>
    /// <param name="secret">32 random bytes, the same on every node. They are not stored.</param>
    /// <param name="random">The source of nonces; null for the operating system.</param>
    /// <exception cref="ArgumentException">The secret has another length.</exception>
    /// <exception cref="PlatformNotSupportedException">On Linux: there is no OpenSSL.</exception>
    public CoapSealedClusterStore(ICoapClusterStore inner, ReadOnlySpan<byte> secret, CoapRandomSource? random = null)
        : this(inner, [secret.ToArray()], random, TimeProvider.System, NullLogger.Instance)
    {
    }

    /// <summary>Creates an encrypting store with up to two secrets, which logs unreadable records and nodes with another secret.</summary>
    internal CoapSealedClusterStore(
        ICoapClusterStore inner, IReadOnlyList<ReadOnlyMemory<byte>> secrets, CoapRandomSource? random, TimeProvider time, ILogger logger,
        byte newestFormat = RecordFormat.Newest)
    {
        ArgumentNullException.ThrowIfNull(inner);
        foreach (ReadOnlyMemory<byte> secret in secrets)
        {
            if (secret.Length != SecretLength)
            {
                throw new ArgumentException($"The secret of a cluster must have {SecretLength} bytes; this one has "
                    + $"{secret.Length}.", nameof(secrets));
            }
        }

        PlatformCryptographyAvailability.ThrowIfMissing("An encrypted store");
        _inner = inner;
        Format = new RecordFormat(newestFormat);
        _cipher = new StoreRecordCipher(secrets, random ?? CoapRandomSource.Secure, format: Format);
        _seals = new NodeAddressSealer(secrets, newestFormat);
        _mark = new ClusterSecretCheckRecord(inner, _cipher, Format, random ?? CoapRandomSource.Secure, time);
        _logger = logger;
        _told = new RateLimitedLog(time);
        _toldTooNew = new RateLimitedLog(time);
    }

    /// <summary>
    /// The number of records that did not open, because they were encrypted with another secret, modified, or written by a newer version.
    /// </summary>
    public long UnreadableCount => Interlocked.Read(ref _unreadable);

    /// <summary>
    /// A random key of 32 bytes, the same on all nodes, also after the secret was replaced; empty before this node has joined. It is a part
    /// of the store: an empty store has another one.
    /// </summary>
    internal ReadOnlyMemory<byte> CommonKey => _mark.Key;

    /// <inheritdoc/>
    public string? Limitation => _inner.Limitation;

    internal RecordFormat Format { get; }

    /// <summary>The number of records that opened with the previous of two secrets only.</summary>
    internal long PreviousCount => _cipher.PreviousCount;

    /// <summary>Whether it encrypts with the previous of two secrets, because another node does not have the current one yet.</summary>
    internal bool UsesPreviousSecret => _cipher.UsesPrevious;

    /// <inheritdoc/>
    /// <exception cref="CoapClusterStoreException">The node has another secret than the cluster
    /// (<see cref="CoapClusterStoreFault.OtherSecret"/>), or the store failed.</exception>
    public async ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(self);
        await _mark.CheckAsync(cancellationToken).ConfigureAwait(false);
        CoapClusterSlotMap map = await _inner.JoinAsync(_seals.Seal(self), lease, cancellationToken).ConfigureAwait(false);
        map = Verified(map);
        if (await _mark.WriteAsync(map, self.Id, cancellationToken).ConfigureAwait(false) is { } format)
        {
            ClusterLog.FormatChanged(_logger, format);
        }

        return map;
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapClusterSlotMap map in _inner.WatchAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return Verified(map);
        }
    }

    /// <inheritdoc/>
    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        _inner.TryChangeAsync(wanted, cancellationToken);

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">A state is longer than <see cref="MaxStateLength"/>.</exception>
    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        CoapRecordWrite[] changes = new CoapRecordWrite[batch.Length];
        for (int i = 0; i < changes.Length; i++)
        {
            CoapRecordWrite change = batch.Span[i];
            changes[i] = change.IsRemoval || change.Key.Bytes.Length == 0 || IsOpen(change.Key)
                ? change
                : CoapRecordWrite.Put(change.Key, change.Fence, _cipher.Seal(change.Key, change.State.Span), change.Lifetime);
        }

        return _inner.WriteAsync(changes, cancellationToken);
    }

    /// <inheritdoc/>
    public async IAsyncEnumerable<CoapRecord> ReadAsync(
        CoapRecordKind kind, CoapSlot slot, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapRecord record in _inner.ReadAsync(kind, slot, cancellationToken).ConfigureAwait(false))
        {
            if (TryOpen(record) is { } opened)
            {
                yield return opened;
            }
            else
            {
                OnUnreadable(record.Key, record.State.Span);
            }
        }
    }

    /// <inheritdoc/>
    /// <exception cref="CoapClusterStoreException">The record exists but does not open
    /// (<see cref="CoapClusterStoreFault.Corrupt"/>), or a newer version wrote it
    /// (<see cref="CoapClusterStoreFault.Incompatible"/>).</exception>
    public async ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken)
    {
        if (await _inner.FindAsync(key, cancellationToken).ConfigureAwait(false) is not { } record)
        {
            return null;
        }

        if (TryOpen(record) is { } opened)
        {
            return opened;
        }

        OnUnreadable(key, record.State.Span);
        throw IsTooNew(record.State.Span)
            ? new CoapClusterStoreException(CoapClusterStoreFault.Incompatible,
                $"A newer version of the library wrote the record {key}, in format {record.State.Span[0]}; this one reads formats up to "
                + $"{Format.Announced}. Update this node, or remove the record if its content may be lost.")
            : new CoapClusterStoreException(CoapClusterStoreFault.Corrupt,
            $"The record {key} does not open: it was encrypted with another secret, or was modified. Use the secret that it was "
            + "written with, or remove the record if its content may be lost.");
    }

    /// <inheritdoc/>
    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) => _inner.RemoveExpiredAsync(cancellationToken);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _inner.DisposeAsync().ConfigureAwait(false);
        _cipher.Dispose();
        _seals.Dispose();
        _mark.Dispose();
    }

    /// <summary>Encrypts a state in advance, if it must not wait as plain text.</summary>
    internal byte[] Seal(CoapRecordKey key, ReadOnlySpan<byte> state) => _cipher.Seal(key, state);

    /// <summary>Decrypts a state from <see cref="Seal"/>; null if it does not open, which is counted.</summary>
    internal byte[]? TryOpen(CoapRecordKey key, ReadOnlySpan<byte> sealedState)
    {
        byte[]? state = _cipher.TryOpen(key, sealedState);
        if (state is null)
        {
            OnUnreadable(key, sealedState);
        }

        return state;
    }

    // Numbers and times are not secret. Those of OSCORE contexts must be readable under any secret: without them they would begin at 0
    // again. Those of a session change with each message, and are short.
    private static bool IsOpen(CoapRecordKey key) => key.Kind is CoapRecordKind.OscoreContext or CoapRecordKind.SessionProgress;

    // Without the nodes that do not have the secret. A node with both secrets uses the new one when all nodes have it, and a node writes
    // the newest format when all nodes read it.
    private CoapClusterSlotMap Verified(CoapClusterSlotMap map)
    {
        List<CoapClusterNode> nodes = new(map.Nodes.Count);
        List<CoapClusterNode> strangers = [];
        List<byte> formats = new(map.Nodes.Count);
        bool usesPrevious = false;
        foreach (CoapClusterNode node in map.Nodes)
        {
            if (_seals.TryOpen(node, out bool hasCurrent, out byte format) is { } opened)
            {
                nodes.Add(opened);
                formats.Add(format);
                usesPrevious |= !hasCurrent;
            }
            else
            {
                strangers.Add(node);
            }
        }

        _cipher.UsesPrevious = usesPrevious;
        Format.Hear(formats);
        foreach (CoapClusterNode node in NewOf(strangers))
        {
            ClusterLog.Stranger(_logger, node.Id, NodeAddressSealer.AddressOf(node));
        }

        return map.WithNodes(nodes);
    }

    // Those that are not logged yet. Before this node has verified its own secret, it may be the stranger.
    private List<CoapClusterNode> NewOf(List<CoapClusterNode> strangers)
    {
        lock (_gate)
        {
            if (CommonKey.IsEmpty)
            {
                return [];
            }

            HashSet<CoapNodeId> known = _strangers;
            _strangers = [.. strangers.Select(static node => node.Id)];
            return strangers.FindAll(node => !known.Contains(node.Id));
        }
    }

    // There may be many at a start. The reader owns the memory of a record.
    private CoapRecord? TryOpen(CoapRecord record)
    {
        if (IsOpen(record.Key))
        {
            return record;
        }

        return _cipher.TryOpenInPlace(record.Key, MemoryMarshal.AsMemory(record.State).Span)
            ? record with { State = record.State[StoreRecordCipher.Overhead..] }
            : null;
    }

    private bool IsTooNew(ReadOnlySpan<byte> sealedState) => !sealedState.IsEmpty && sealedState[0] > Format.Announced;

    private void OnUnreadable(CoapRecordKey key, ReadOnlySpan<byte> sealedState)
    {
        long count = Interlocked.Increment(ref _unreadable);
        if (IsTooNew(sealedState))
        {
            if (_toldTooNew.IsDue())
            {
                ClusterLog.RecordTooNew(_logger, key.Slot, key.Kind, sealedState[0], Format.Announced, count);
            }
        }
        else if (_told.IsDue())
        {
            ClusterLog.RecordUnreadable(_logger, key.Slot, key.Kind, count);
        }
    }

    /// <summary>Creates a secret for a new cluster. Store it with your keys.</summary>
    /// <param name="random">The source of the bytes; null for the operating system.</param>
    /// <returns>32 random bytes. Wipe them after use (<see cref="CryptographicOperations.ZeroMemory"/>).</returns>
    public static byte[] NewSecret(CoapRandomSource? random = null)
    {
        byte[] secret = new byte[SecretLength];
        (random ?? CoapRandomSource.Secure).Fill(secret);
        return secret;
    }
}

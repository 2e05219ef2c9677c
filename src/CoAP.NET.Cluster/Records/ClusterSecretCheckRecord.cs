using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Records;

/// <summary>
/// A record encrypted with the cluster's secret. The first node writes it, and a node that cannot open it does not join: it would
/// take slots whose records it cannot read. Its content is a random key that stays when the secret is replaced, and in which format the
/// nodes write records (<see cref="RecordFormat"/>). Every version reads it. Thread-safe.
/// </summary>
/// <param name="store">The store, which does not encrypt.</param>
/// <param name="cipher">Encrypts the record.</param>
/// <param name="format">The current and the next record format.</param>
/// <param name="random">The source of the key.</param>
/// <param name="time">The clock.</param>
internal sealed class ClusterSecretCheckRecord(
    ICoapClusterStore store, StoreRecordCipher cipher, RecordFormat format, CoapRandomSource random, TimeProvider time) : IDisposable
{
    private const int KeyLength = CoapSealedClusterStore.SecretLength;

    // A later version may add more.
    private const int Length = KeyLength + 1 + sizeof(long);

    // One node writes the decision, and the others need not know it soon: all of them read both formats.
    private static readonly TimeSpan s_readPeriod = TimeSpan.FromHours(1);

    private readonly SemaphoreSlim _writing = new(1);
    private volatile byte[]? _key;
    private long _readAt;

    // What the owner of the record's slot has verified; replaced, never changed.
    private volatile Written? _written;

    public static CoapRecordKey RecordKey { get; } = new(CoapRecordKind.ClusterSecretCheckRecord, default, "mark"u8);

    /// <summary>The random key of the cluster: 32 bytes; empty before this node has read or written the record.</summary>
    public ReadOnlyMemory<byte> Key => _key;

    /// <summary>
    /// Verifies that this node has the secret of the cluster, and reads the format from time to time. It may be the first node.
    /// </summary>
    /// <exception cref="CoapClusterStoreException">It has another secret (<see cref="CoapClusterStoreFault.OtherSecret"/>), or the store
    /// failed.</exception>
    public async ValueTask CheckAsync(CancellationToken cancellationToken)
    {
        if (_key is null || time.GetElapsedTime(Interlocked.Read(ref _readAt)) >= s_readPeriod)
        {
            await FindAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Writes the record if this node owns its slot, and the record is missing, encrypted with the secret that is not used, or has an
    /// earlier decision about the format.
    /// </summary>
    /// <param name="map">The newest map.</param>
    /// <param name="self">The node.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The format in which the nodes write from now on; null if that has not changed.</returns>
    /// <exception cref="CoapClusterStoreException">As <see cref="CheckAsync"/>.</exception>
    public async ValueTask<byte?> WriteAsync(CoapClusterSlotMap map, CoapNodeId self, CancellationToken cancellationToken)
    {
        CoapSlotOwner owner = map[RecordKey.Slot];
        Written wanted = new(owner.Fence, cipher.UsesPrevious);
        if (owner.Node != self || (_written == wanted && format.Next(time.GetUtcNow()) == format.Decided))
        {
            return null;
        }

        await _writing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            return await WriteAsync(wanted, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _writing.Release();
        }
    }

    public void Dispose()
    {
        _writing.Dispose();
        CryptographicOperations.ZeroMemory(_key);
    }

    private async ValueTask<byte?> WriteAsync(Written wanted, CancellationToken cancellationToken)
    {
        // Under this fence no other node writes it between the two calls.
        bool? isPrevious = await FindAsync(cancellationToken).ConfigureAwait(false);
        RecordFormat.Decision? before = format.Decided;
        RecordFormat.Decision next = format.Next(time.GetUtcNow());
        if (isPrevious != wanted.IsPrevious || before != next)
        {
            byte[] key = _key ?? CoapSealedClusterStore.NewSecret(random);
            byte[] state = [.. key, next.Format, .. new byte[sizeof(long)]];
            BinaryPrimitives.WriteInt64BigEndian(state.AsSpan(KeyLength + 1), next.Since?.ToUnixTimeMilliseconds() ?? 0);
            CoapRecordWrite change =
                CoapRecordWrite.Put(RecordKey, wanted.Fence, cipher.SealForAll(RecordKey, state), Timeout.InfiniteTimeSpan);
            CryptographicOperations.ZeroMemory(state);
            CoapWriteResult result = await store.WriteAsync(new[] { change }, cancellationToken).ConfigureAwait(false);
            if (result[0] != CoapWriteOutcome.Written)
            {
                // Another node has taken the slot.
                return null;
            }

            _key = key;
            format.Decided = next;
        }

        _written = wanted;
        return before is not null && before.Format != next.Format ? next.Format : null;
    }

    // Whether it is encrypted with the previous secret; null if there is none.
    private async ValueTask<bool?> FindAsync(CancellationToken cancellationToken)
    {
        if (await store.FindAsync(RecordKey, cancellationToken).ConfigureAwait(false) is not { } record)
        {
            return null;
        }

        if (cipher.TryOpen(RecordKey, record.State.Span, out bool isPrevious) is { Length: >= Length } state)
        {
            long since = BinaryPrimitives.ReadInt64BigEndian(state.AsSpan(KeyLength + 1));
            format.Decided = new RecordFormat.Decision(
                state[KeyLength], since == 0 ? null : DateTimeOffset.FromUnixTimeMilliseconds(since));
            _key = state[..KeyLength];
            Interlocked.Exchange(ref _readAt, time.GetTimestamp());
            CryptographicOperations.ZeroMemory(state);
            return isPrevious;
        }

        throw new CoapClusterStoreException(CoapClusterStoreFault.OtherSecret,
            "The secret of this node is not the secret of the cluster, so the node does not join. Give it the secret that the records were "
            + "encrypted with (CoapClusterOptions.Secrets; in configuration, Coap:Cluster:SecretFile). If that secret is lost, delete the "
            + $"record of kind {(int)CoapRecordKind.ClusterSecretCheckRecord} from the store: only the numbers of OSCORE contexts continue then.");
    }

    private sealed record Written(CoapFencingToken Fence, bool IsPrevious);
}

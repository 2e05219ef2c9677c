using System.Security.Cryptography;

namespace CoAP.NET.Cluster;

/// <summary>
/// A record that only the secret of the cluster opens. The first node writes it, and a node that cannot open it does not join: it would
/// take slots whose records it cannot read. Its content is a random key that stays when the secret is replaced. Thread-safe.
/// </summary>
/// <param name="store">The store, which does not encrypt.</param>
/// <param name="cipher">Encrypts the record.</param>
/// <param name="random">The source of the key.</param>
internal sealed class SecretMark(ICoapClusterStore store, RecordCipher cipher, CoapRandomSource random) : IDisposable
{
    private readonly SemaphoreSlim _writing = new(1);
    private volatile byte[]? _key;

    // What the owner of the record's slot has verified; replaced, never changed.
    private volatile Written? _written;

    /// <summary>The key of the record.</summary>
    public static CoapRecordKey RecordKey { get; } = new(CoapRecordKind.SecretMark, default, "mark"u8);

    /// <summary>The random key of the cluster: 32 bytes; empty before this node has read or written the record.</summary>
    public ReadOnlyMemory<byte> Key => _key;

    /// <summary>Verifies that this node has the secret of the cluster. It may be the first one.</summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapClusterStoreException">It has another secret (<see cref="CoapClusterStoreFault.OtherSecret"/>), or the store
    /// failed.</exception>
    public async ValueTask CheckAsync(CancellationToken cancellationToken)
    {
        if (_key is null)
        {
            await FindAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Writes the record if this node owns its slot, and the record is missing or encrypted with the secret that is not used.
    /// </summary>
    /// <param name="map">The newest map.</param>
    /// <param name="self">The node.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapClusterStoreException">As <see cref="CheckAsync"/>.</exception>
    public async ValueTask WriteAsync(CoapClusterMap map, CoapNodeId self, CancellationToken cancellationToken)
    {
        CoapSlotOwner owner = map[RecordKey.Slot];
        Written wanted = new(owner.Fence, cipher.UsesPrevious);
        if (owner.Node != self || _written == wanted)
        {
            return;
        }

        await _writing.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            await WriteAsync(wanted, cancellationToken).ConfigureAwait(false);
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

    private async ValueTask WriteAsync(Written wanted, CancellationToken cancellationToken)
    {
        // Under this fence no other node writes it between the two calls.
        if (await FindAsync(cancellationToken).ConfigureAwait(false) != wanted.IsPrevious)
        {
            byte[] key = _key ?? CoapSealedClusterStore.NewSecret(random);
            CoapRecordChange change = CoapRecordChange.Put(RecordKey, wanted.Fence, cipher.Seal(RecordKey, key), Timeout.InfiniteTimeSpan);
            CoapWriteResult result = await store.WriteAsync(new[] { change }, cancellationToken).ConfigureAwait(false);
            if (result[0] != CoapWriteOutcome.Written)
            {
                // Another node has taken the slot.
                return;
            }

            _key = key;
        }

        _written = wanted;
    }

    // Whether it is encrypted with the previous secret; null if there is none.
    private async ValueTask<bool?> FindAsync(CancellationToken cancellationToken)
    {
        if (await store.FindAsync(RecordKey, cancellationToken).ConfigureAwait(false) is not { } record)
        {
            return null;
        }

        if (cipher.TryOpen(RecordKey, record.State.Span, out bool isPrevious) is { } key)
        {
            _key = key;
            return isPrevious;
        }

        throw new CoapClusterStoreException(CoapClusterStoreFault.OtherSecret,
            "The secret of this node is not the secret of the cluster, so the node does not join. Give it the secret that the records were "
            + "encrypted with (CoapClusterOptions.Secrets; in configuration, Coap:Cluster:SecretFile). If that secret is lost, delete the "
            + $"record of kind {(int)CoapRecordKind.SecretMark} from the store: only the numbers of OSCORE contexts continue then.");
    }

    private sealed record Written(CoapFence Fence, bool IsPrevious);
}

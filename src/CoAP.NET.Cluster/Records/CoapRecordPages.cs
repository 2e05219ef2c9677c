using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Records;

/// <summary>
/// Reads the records of a slot in pages; for engines, whose <see cref="ICoapClusterStore.ReadAsync"/> holds no lock and no snapshot
/// while the caller works on a page.
/// </summary>
internal static class CoapRecordPages
{
    /// <summary>Reads page after page until one is not full.</summary>
    /// <param name="size">The number of records of a full page. At least 1.</param>
    /// <param name="readPage">Reads one page: the first <paramref name="size"/> records, in the order of their keys, whose
    /// <see cref="CoapRecordKey.Bytes"/> come after the given ones. For the first page these are empty.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The records, in the order of their keys.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="size"/> is less than 1.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    public static IAsyncEnumerable<CoapRecord> ReadAsync(
        int size, Func<byte[], CancellationToken, Task<IReadOnlyList<CoapRecord>>> readPage, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(size, 1);
        ArgumentNullException.ThrowIfNull(readPage);
        return ReadPagesAsync(size, readPage, cancellationToken);
    }

    private static async IAsyncEnumerable<CoapRecord> ReadPagesAsync(
        int size,
        Func<byte[], CancellationToken, Task<IReadOnlyList<CoapRecord>>> readPage,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        byte[] after = [];
        while (true)
        {
            IReadOnlyList<CoapRecord> page = await readPage(after, cancellationToken).ConfigureAwait(false);
            foreach (CoapRecord record in page)
            {
                cancellationToken.ThrowIfCancellationRequested();
                yield return record;
            }

            if (page.Count < size)
            {
                yield break;
            }

            after = page[^1].Key.Bytes.ToArray();
        }
    }
}

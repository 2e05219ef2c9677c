using System.Buffers.Binary;
using CoAP.NET.Transports;

namespace CoAP.NET.Composition;

// With many peers, each datagram causes several cache misses: for the table of peers, for the state of the peer, and for its Message IDs.
// For datagrams that arrived together, these misses overlap if the code prefetches all of them at once. It decides nothing and takes no
// lock: prefetched data is checked again when it is used.
internal sealed partial class EndpointContext
{
    private const int MaxExpected = 64;

    public void Expect(ReadOnlySpan<CoapDatagram> datagrams)
    {
        Span<ulong> hashes = stackalloc ulong[MaxExpected];
        datagrams = datagrams[..Math.Min(datagrams.Length, MaxExpected)];
        for (int i = 0; i < datagrams.Length; i++)
        {
            hashes[i] = _hash.Of(datagrams[i].Remote);
            _pipelines[ShardOf(hashes[i])].Channels.Fetch(hashes[i]);
        }

        for (int i = 0; i < datagrams.Length; i++)
        {
            CoapChannel? guess = _pipelines[ShardOf(hashes[i])].Channels.Guess(hashes[i]);
            datagrams[i].Expected = guess;
            if (guess is not null)
            {
                CacheLines.FetchObject(guess, CoapChannel.OftenTouched);
            }
        }

        foreach (CoapDatagram datagram in datagrams)
        {
            if (datagram.Expected is not { } channel)
            {
                continue;
            }

            if (!ChannelTable.Is(channel, datagram))
            {
                // Another end of ours has the same peer, or a table that changed at this moment led astray: it is looked up when it is
                // handed in.
                datagram.Expected = null;
            }
            else if (datagram.Length >= 4)
            {
                channel.Messaging.Index.Fetch(BinaryPrimitives.ReadUInt16BigEndian(datagram.Span[2..]));
            }
        }
    }

    private int ShardOf(ulong hash) => _pipelines.Length == 1 ? 0 : (int)((hash >> 40) % (uint)_pipelines.Length);
}

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Defects in blocks that a user could have put into the mesh, to see that the oracles find them.</summary>
internal static class PlantedBlocks
{
    public static void Insert(CoapPipelineOptions pipeline, string? plant)
    {
        switch (plant)
        {
            case "swallow":
                // Every so manieth datagram gets lost, whoever sent it.
                int count = 0;
                pipeline.Insert(CoapStageLinks.TransportToChannel,
                    () => new PassingBlock<CoapDatagram>(datagram => ++count % 50 == 49 ? Dropped(datagram) : datagram));
                break;
            case "leak":
                // The buffer of what goes out is kept.
                List<CoapDatagram> kept = [];
                pipeline.Insert(CoapStageLinks.SerializerToChannel, () => new PassingBlock<CoapDatagram>(datagram =>
                {
                    if (datagram.Span[1] == 0x45)
                    {
                        kept.Add(datagram);
                        datagram = datagram.Copy();
                    }

                    return datagram;
                }));
                break;
            case "wrong-token":
                // An answer has a token that belongs to somebody else.
                pipeline.Insert(CoapStageLinks.SerializerToChannel, () => new PassingBlock<CoapDatagram>(datagram =>
                {
                    if (datagram.Length > 5 && datagram.Span[1] == 0x45 && (datagram.Span[0] & 15) == 1 && datagram.Span[4] == 2)
                    {
                        datagram.Buffer[4] ^= 0x55;
                    }

                    return datagram;
                }));
                break;
            case "stage-throws":
                pipeline.Insert(CoapStageLinks.MessagingToExchanges,
                    () => new PassingBlock<CoapInbound>(item => item.Message?.Code == CoapCode.Fetch
                        ? throw new InvalidOperationException("planted")
                        : item));
                break;
            default:
                break;
        }

        static CoapDatagram? Dropped(CoapDatagram datagram)
        {
            datagram.Dispose();
            return null;
        }
    }
}

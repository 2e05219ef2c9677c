using System.Formats.Cbor;

namespace CoAP.NET.PubSub.Topics;

/// <summary>Identifies a request of a broker, to recognize repetitions.</summary>
/// <param name="Broker">The asking broker: a random number per start.</param>
/// <param name="Number">Increases with each request of the broker.</param>
internal readonly record struct TopicRequestId(ulong Broker, ulong Number)
{
    public static TopicRequestId Read(CborReader reader) => new(reader.ReadUInt64(), reader.ReadUInt64());

    public void Write(CborWriter writer)
    {
        writer.WriteUInt64(Broker);
        writer.WriteUInt64(Number);
    }
}

using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>SUITES_I and SUITES_R: an integer for one suite, an array for two or more (RFC 9528 section 5.2.1).</summary>
internal static class SuiteList
{
    public static void Write(CborWriter writer, IReadOnlyList<int> suites)
    {
        if (suites.Count == 1)
        {
            writer.WriteInt32(suites[0]);
            return;
        }

        writer.WriteStartArray(suites.Count);
        foreach (int suite in suites)
        {
            writer.WriteInt32(suite);
        }

        writer.WriteEndArray();
    }

    public static int[] Read(ref SequenceReader reader, int max)
    {
        if (reader.Peek() != CborMajor.Array)
        {
            return [reader.ReadInt("a cipher suite")];
        }

        int count = reader.ReadContainer(CborMajor.Array, "cipher suites");
        if (count < 2 || count > max)
        {
            throw reader.Fault(count < 2 ? "has an array of fewer than two cipher suites" : "has too many cipher suites");
        }

        int[] suites = new int[count];
        for (int i = 0; i < count; i++)
        {
            suites[i] = reader.ReadInt("a cipher suite");
        }

        return suites;
    }
}

using CoAP.NET.Speed.Engines;

namespace CoAP.NET.Speed.SlowSenders;

/// <summary>What slow senders send.</summary>
internal static class SlowMessages
{
    /// <summary>Makes a PUT for each size of payload.</summary>
    /// <param name="options">How many options each has.</param>
    /// <param name="payloads">The bytes of payload of each.</param>
    /// <returns>The messages as frames, and how the answers end if they arrived as they were sent.</returns>
    public static (byte[][] Requests, byte[][] Answers) Make(int options, int[] payloads)
    {
        List<byte[]> requests = [];
        List<byte[]> answers = [];
        foreach (int bytes in payloads)
        {
            byte[] payload = new byte[bytes];
            new Random(bytes).NextBytes(payload);
            requests.Add(Frames.Request(CoapCode.Put, "sum", payload, 0x0102, all =>
            {
                for (int i = 0; i < options; i++)
                {
                    all.Add(new UriQueryOption(i.ToString("00")));
                }
            }));
            answers.Add(Encoding.UTF8.GetBytes(BenchServer.Sum(options, payload)));
        }

        return ([.. requests], [.. answers]);
    }
}

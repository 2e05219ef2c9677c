using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp;

public class TlsRecordTrackerTests
{
    // Records of 3, 0 and 300 bytes.
    private static readonly byte[] s_records = [0x17, 3, 3, 0, 3, 1, 2, 3, 0x16, 3, 3, 0, 0, 0x17, 3, 3, 1, 44, .. new byte[300]];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    [InlineData(318)]
    public void The_record_boundaries_are_found_however_the_bytes_arrive(int atOnce)
    {
        TlsRecordTracker track = default;
        for (int at = 0; at < s_records.Length; at += atOnce)
        {
            int count = Math.Min(atOnce, s_records.Length - at);
            track.Follow(s_records.AsSpan(at, count));
            int end = at + count;
            int begin = end < 8 ? 0 : end < 13 ? 8 : end < s_records.Length ? 13 : end;
            Assert.Equal(end - begin, track.Received);
        }
    }
}

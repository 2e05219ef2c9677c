namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>What of a client's messages OpenSSL gets to see.</summary>
public sealed class ServerHandshakeInputFilterTests
{
    private const int ClientHello = 1;
    private const int Certificate = 11;
    private const int CertificateVerify = 15;
    private const int ClientKeyExchange = 16;

    [Fact]
    public void A_client_flight_passes_the_filter_including_its_retransmissions()
    {
        ServerHandshakeInputFilter filter = new();
        Assert.True(filter.Takes(Message(ClientHello, 1, 300, 0, 300), true));
        for (int time = 1; time <= 3; time++)
        {
            Assert.True(filter.Takes(Message(Certificate, 2, 5_000, 0, 1_100), true));
            Assert.True(filter.Takes(Message(Certificate, 2, 5_000, 2_200, 1_100), true));
            Assert.True(filter.Takes(Message(Certificate, 2, 5_000, 1_100, 1_100), true));
            Assert.True(filter.Takes(Message(Certificate, 2, 5_000, 3_300, 1_700), true));
            Assert.True(filter.Takes([.. Message(ClientKeyExchange, 3, 66, 0, 66), .. Message(CertificateVerify, 4, 76, 0, 76)], true));
        }

        Assert.Equal(3, filter.Progress);
        ServerHandshakeInputFilter without = new();
        Assert.True(without.Takes(Message(ClientKeyExchange, 2, 130, 0, 130), false));
        Assert.Equal(1, without.Progress);
    }

    [Theory]
    [InlineData(false, Certificate, 2, 500, 0, 500)]
    [InlineData(false, CertificateVerify, 3, 76, 0, 76)]
    [InlineData(false, ClientKeyExchange, 3, 66, 0, 66)]
    [InlineData(true, ClientKeyExchange, 2, 66, 0, 66)]
    [InlineData(true, Certificate, 3, 500, 0, 500)]
    [InlineData(true, Certificate, 12, 500, 0, 500)]
    [InlineData(true, CertificateVerify, 5, 76, 0, 76)]
    [InlineData(true, ClientHello, 2, 76, 0, 76)]
    [InlineData(true, 20, 2, 12, 0, 12)]
    [InlineData(true, 255, 2, 12, 0, 12)]
    [InlineData(true, Certificate, 2, 16_385, 0, 1)]
    [InlineData(true, Certificate, 2, 100_000, 0, 1)]
    [InlineData(true, Certificate, 2, 16_000, 4_097, 1)]
    [InlineData(true, Certificate, 2, 100, 100, 1)]
    [InlineData(true, CertificateVerify, 4, 16_000, 0, 1)]
    [InlineData(false, ClientKeyExchange, 2, 16_000, 0, 1)]
    public void Messages_that_do_not_belong_to_the_handshake_are_dropped(
        bool asks, int type, int number, int length, int offset, int fragment) =>
        Assert.False(new ServerHandshakeInputFilter().Takes(Message(type, number, length, offset, fragment), asks));

    [Fact]
    public void A_record_with_an_invalid_message_is_dropped_as_a_whole()
    {
        ServerHandshakeInputFilter filter = new();
        byte[] good = Message(ClientKeyExchange, 2, 66, 0, 66);
        Assert.False(filter.Takes([.. good, .. Message(Certificate, 3, 9_000, 0, 1)], false));
        Assert.False(filter.Takes([.. good, 11, 0, 0], false));
        Assert.False(filter.Takes(good.AsSpan(0, 40), false));
        Assert.Equal(0, filter.Progress);
        Assert.True(filter.Takes(good, false));
    }

    [Fact]
    public void The_bytes_of_retransmissions_that_reach_OpenSSL_are_limited()
    {
        ServerHandshakeInputFilter filter = new();
        byte[] message = Message(ClientKeyExchange, 2, 66, 0, 66);
        int taken = 0;
        while (filter.Takes(message, false))
        {
            taken += message.Length;
        }

        Assert.InRange(taken, ServerHandshakeInputFilter.MaxBytes - message.Length + 1, ServerHandshakeInputFilter.MaxBytes);
    }

    internal static byte[] Message(int type, int number, int length, int offset, int fragment)
    {
        byte[] message = new byte[12 + fragment];
        BinaryPrimitives.WriteInt32BigEndian(message, length);
        message[0] = (byte)type;
        BinaryPrimitives.WriteUInt16BigEndian(message.AsSpan(4), (ushort)number);
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(5), offset);
        message[5] = (byte)number;
        BinaryPrimitives.WriteInt32BigEndian(message.AsSpan(8), fragment);
        message[8] = (byte)offset;
        return message;
    }
}

using System.Buffers.Binary;

namespace CoAP.NET.Cli.Tests.Decoding;

public sealed class CaptureTests
{
    private const string Ping = "40000007";
    private const string Reset = "70000007";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Datagrams_of_a_pcap_are_decoded(bool isNanoseconds)
    {
        byte[] capture = [.. Header(isNanoseconds, link: 1), .. Record(Ethernet(IPv4(Ping))), .. Record(Ethernet(IPv6(Reset)))];

        CliRun run = await new CliHarness { Input = capture }.InvokeAsync("decode", "-", "--json");

        run.HasExitCode(ExitCodes.Success);
        JsonElement[] messages = [
            .. run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];
        Assert.Equal(["CON", "RST"], messages.Select(message => message.TextOf("type")));
        Assert.Equal(["192.0.2.1:40000", "[2001:db8::1]:40000"], messages.Select(message => message.TextOf("from")));
        Assert.Equal(isNanoseconds ? "2023-11-14T22:13:20.000500Z" : "2023-11-14T22:13:20.500000Z",
            messages[0].TextOf("time"));
    }

    [Fact]
    public async Task Datagrams_of_a_pcapng_are_decoded()
    {
        byte[] packet = IPv4(Ping);
        byte[] capture =
        [
            .. Block(0x0a0d0d0a, [.. LittleEndian(0x1a2b3c4d), 1, 0, 0, 0, .. LittleEndian(uint.MaxValue), .. LittleEndian(uint.MaxValue)]),
            .. Block(1, [101, 0, 0, 0, .. LittleEndian(65535)]),
            .. Block(6, [.. LittleEndian(0), .. LittleEndian(0x00060a24), .. LittleEndian(0x181e4000), .. LittleEndian((uint)packet.Length),
                .. LittleEndian((uint)packet.Length), .. packet]),
        ];

        CliRun run = await new CliHarness { Input = capture }.InvokeAsync("decode", "-");

        run.HasExitCode(ExitCodes.Success);
        run.Out.Replace("0.00 Empty", "0.00").Mentions("192.0.2.1:40000 > 192.0.2.2:5683  CON 0.00  (4 bytes, UDP)");
        run.HasOut("a CoAP Ping");
    }

    [Fact]
    public async Task Other_ports_are_decoded_only_when_they_are_requested()
    {
        byte[] capture = [.. Header(isNanoseconds: false, link: 101), .. Record(IPv4(Ping, port: 9999)),
            .. Record(IPv4("ffff", port: 9998))];

        CliRun run = await new CliHarness { Input = capture }.InvokeAsync("decode", "-");
        CliRun any = await new CliHarness { Input = capture }.InvokeAsync("decode", "-", "--port", "0");

        Assert.Empty(run.Out);
        run.HasError("no datagram of port 5683");
        any.HasOut("> 192.0.2.2:9999");
        any.HasNoOut("9998");
    }

    [Fact]
    public async Task A_truncated_capture_is_reported_after_its_complete_records()
    {
        byte[] whole = [.. Header(isNanoseconds: false, link: 101), .. Record(IPv4(Ping)), .. Record(IPv4(Reset))];
        for (int length = 24; length < whole.Length; length++)
        {
            CliRun run = await new CliHarness { Input = whole[..length] }.InvokeAsync("decode", "-", "--json");

            bool isAtRecord = length is 24 || length == 24 + ((whole.Length - 24) / 2);
            Assert.True(run.ExitCode == (isAtRecord ? ExitCodes.Success : ExitCodes.File), $"{length}: {run}");
        }
    }

    private static byte[] Header(bool isNanoseconds, byte link) =>
        [.. LittleEndian(isNanoseconds ? 0xa1b23c4d : 0xa1b2c3d4), 2, 0, 4, 0, .. LittleEndian(0), .. LittleEndian(0),
            .. LittleEndian(65535), link, 0, 0, 0];

    private static byte[] Record(byte[] packet) =>
        [.. LittleEndian(1_700_000_000), .. LittleEndian(500_000), .. LittleEndian((uint)packet.Length),
            .. LittleEndian((uint)packet.Length), .. packet];

    private static byte[] Block(uint type, byte[] body)
    {
        byte[] padded = [.. body, .. new byte[(4 - (body.Length % 4)) % 4]];
        byte[] length = LittleEndian((uint)padded.Length + 12);
        return [.. LittleEndian(type), .. length, .. padded, .. length];
    }

    private static byte[] Ethernet(byte[] ip) => [.. new byte[12], .. ip[0] >> 4 == 4 ? (byte[])[0x08, 0x00] : [0x86, 0xdd], .. ip];

    private static byte[] IPv4(string hex, ushort port = 5683)
    {
        byte[] udp = Udp(hex, port);
        return [0x45, 0, 0, (byte)(20 + udp.Length), 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2, .. udp];
    }

    private static byte[] IPv6(string hex)
    {
        byte[] udp = Udp(hex, 5683);
        byte[] address = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

        // With a header of destination options in between.
        return [0x60, 0, 0, 0, 0, (byte)(8 + udp.Length), 60, 64, .. address, 1, .. address, 2, 17, 0, 1, 4, 0, 0, 0, 0, .. udp];
    }

    private static byte[] Udp(string hex, ushort port)
    {
        byte[] data = Convert.FromHexString(hex);
        return [0x9c, 0x40, (byte)(port >> 8), (byte)port, 0, (byte)(8 + data.Length), 0, 0, .. data];
    }

    private static byte[] LittleEndian(uint value)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, value);
        return bytes;
    }
}

using System.Buffers.Binary;

namespace CoAP.NET.Cli.Tests.Decoding;

/// <summary>Captured exchanges of aiocoap and libcoap, decrypted with the contexts of their plugtest.</summary>
public sealed class DecryptionTests : FolderTest
{
    private const string Request = "4202aeca5392920900ffae8f310672835ff3bbeeb310ae8e5372e32045f0f78b2650";
    private const string Challenge = "6244aeca5392920100ff896bb438ed6ed6ab968a366c704a535230ddb2";
    private const string Spoiled = "420213e4192292090bff43f8ef3063a986a611940fd91d893e1a6dbc3c6b9caff9bb";

    private readonly string _file;

    public DecryptionTests()
    {
        _file = Path.Combine(Folder, "plugtest.json");
        File.WriteAllText(_file,
            """
            { "name": "A", "masterSecret": "0x0102030405060708090a0b0c0d0e0f10", "masterSalt": "0x9e7ca92223786340",
              "senderId": "", "recipientId": "0x01" }
            """);
    }

    [Fact]
    public async Task A_protected_request_is_shown_decrypted()
    {
        CliRun run = await new CliHarness().InvokeAsync("decode", "--oscore", _file, Request);

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("# OSCORE 'A': kid (empty), Partial IV 0");
        run.HasOut("Decrypted: CON GET /oscore/hello/1");
    }

    [Fact]
    public async Task A_capture_is_decrypted_in_both_directions()
    {
        byte[] capture = [.. FileHeader(), .. Packet(Request, isAnswer: false), .. Packet(Challenge, isAnswer: true)];

        CliRun run = await new CliHarness { Input = capture }.InvokeAsync("decode", "-", "--json", "--oscore", _file);

        run.HasExitCode(ExitCodes.Success);
        JsonElement[] messages = [
            .. run.Out.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => JsonDocument.Parse(line).RootElement)];
        Assert.Equal(["0.02", "2.04"], messages.Select(message => message.TextOf("code")));
        JsonElement[] decrypted = [.. messages.Select(message => message.GetProperty("decrypted"))];
        Assert.Equal(["0.01", "4.01"], decrypted.Select(message => message.TextOf("code")));
        JsonElement echo = Assert.Single(decrypted[1].GetProperty("options").EnumerateArray());
        Assert.Equal("3b12860ff89557f2", echo.TextOf("hex"));
    }

    [Fact]
    public async Task A_message_that_does_not_verify_is_reported_and_shown_encrypted()
    {
        CliRun run = await new CliHarness().InvokeAsync("decode", "--oscore", _file, Spoiled);

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("# OSCORE: kid (empty), Partial IV 11. It does not verify");
        run.HasNoOut("Decrypted");
    }

    [Fact]
    public async Task The_error_for_an_invalid_context_file_does_not_show_its_secret()
    {
        await File.WriteAllTextAsync(_file, """{ "masterSecret": "0102030405060708" }""");

        CliRun run = await new CliHarness().InvokeAsync("decode", "--oscore", _file, Request);

        run.HasExitCode(ExitCodes.File);
        run.HasError("masterSecret must be 0x");
        run.HasNoError("0102030405060708");
    }

    // Raw IP.
    private static byte[] FileHeader()
    {
        byte[] header = new byte[24];
        BinaryPrimitives.WriteUInt32LittleEndian(header, 0xa1b2c3d4);
        header[4] = 2;
        header[6] = 4;
        BinaryPrimitives.WriteUInt32LittleEndian(header.AsSpan(16), 65_535);
        header[20] = 101;
        return header;
    }

    private static byte[] Packet(string hex, bool isAnswer)
    {
        byte[] data = Convert.FromHexString(hex);
        byte[] packet = new byte[16 + 28 + data.Length];
        int length = packet.Length - 16;
        BinaryPrimitives.WriteInt32LittleEndian(packet.AsSpan(8), length);
        BinaryPrimitives.WriteInt32LittleEndian(packet.AsSpan(12), length);
        Span<byte> ip = packet.AsSpan(16);
        ip[0] = 0x45;
        BinaryPrimitives.WriteUInt16BigEndian(ip[2..], (ushort)length);
        ip[8] = 64;
        ip[9] = 17;
        (byte source, byte destination) = isAnswer ? ((byte)2, (byte)1) : ((byte)1, (byte)2);
        ((ReadOnlySpan<byte>)[192, 0, 2, source, 192, 0, 2, destination]).CopyTo(ip[12..]);
        BinaryPrimitives.WriteUInt16BigEndian(ip[20..], isAnswer ? (ushort)5683 : (ushort)40_000);
        BinaryPrimitives.WriteUInt16BigEndian(ip[22..], isAnswer ? (ushort)40_000 : (ushort)5683);
        BinaryPrimitives.WriteUInt16BigEndian(ip[24..], (ushort)(8 + data.Length));
        data.CopyTo(ip[28..]);
        return packet;
    }
}

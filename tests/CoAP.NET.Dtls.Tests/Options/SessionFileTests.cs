namespace CoAP.NET.Dtls.Tests.Options;

/// <summary>A damaged file of sessions is told, with words for the operator.</summary>
public sealed class SessionFileTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-sessions-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(-1)]
    [InlineData(5)]
    [InlineData(int.MaxValue)]
    public async Task A_session_file_with_a_length_beyond_its_end_is_damaged(int length)
    {
        string path = Path.Combine(_folder, "sessions");
        byte[] bytes = [.. "CoAP.NET DTLS 2\n"u8, 0, 0, 0, 0, 1, 2, 3];
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(16), length);
        File.WriteAllBytes(path, bytes);

        InvalidDataException error = await Assert.ThrowsAsync<InvalidDataException>(
            async () => await new SessionFileBackup(new CoapDtlsServerSessionFile(path, new byte[32]))
                .StartAsync(null!, CancellationToken.None));

        Assert.Contains("end of the saved sessions is missing", error.Message, Ordinal);
    }
}

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>Answers of many mebibytes over coaps that are others at each run of their handler.</summary>
public sealed class ChangingAnswerTests
{
    [Theory]
    [InlineData(4, 2)]
    [InlineData(15, 1)]
    public async Task Each_client_gets_a_consistent_representation_of_a_document_that_changes_during_the_download(int mebibytes, int count)
    {
        await using SecureEndpoints secure = new();
        int size = mebibytes << 20;
        int runs = 0;
        secure.Server.MapGet("/document", () => CoapResults.Bytes(Document(size, Interlocked.Increment(ref runs))));
        await secure.StartAsync();
        CoapClient[] clients = [.. Enumerable.Range(0, count).Select(_ => secure.Client())];

        Task<CoapResponse[]> asked = Task.WhenAll(clients.Select(client => client.GetAsync(secure.Host + "/document")));
        CoapResponse[] answers = await asked.WaitAsync(FromMinutes(3));

        Assert.Equal(Enumerable.Range(1, count), answers.Select(answer => NumberOf(answer.Payload.Span, size)).Order());
        Assert.Equal(count, runs);
    }

    private static int NumberOf(ReadOnlySpan<byte> body, int size)
    {
        Assert.Equal(size, body.Length);
        int number = (int)(BitConverter.ToInt64(body) >> 32);
        Assert.True(body.SequenceEqual(Document(size, number)), $"The body begins as document {number} and goes on as another one.");
        return number;
    }

    // The number of the run at each place, beside the place itself.
    private static byte[] Document(int size, int number)
    {
        byte[] document = new byte[size];
        for (int i = 0; i + 8 <= size; i += 8)
        {
            BitConverter.TryWriteBytes(document.AsSpan(i), ((long)number << 32) + i);
        }

        return document;
    }
}

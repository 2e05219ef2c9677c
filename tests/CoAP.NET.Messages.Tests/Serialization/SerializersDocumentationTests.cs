using System.Buffers;
using System.IO.Pipelines;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Serialization;

/// <summary>The snippets of docs/serializers.md, so that they compile and do what the page says.</summary>
public sealed class SerializersDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() =>
        Snippets.AllStandInTests("serializers.md", "Serialization", 4, "CoAP.NET.Messages.Tests");

    [Fact]
    public async Task Messages_are_read_and_written()
    {
        CancellationToken cancellationToken = CancellationToken.None;
        CoapMessage message = new(CoapCode.Content) { Payload = "21.5"u8.ToArray() };
        using MemoryStream stream = new();

        byte[] bytes = CoapDatagramSerializer.Default.Serialize(message);
        CoapMessage read = CoapDatagramSerializer.Default.Deserialize(bytes);
        await CoapStreamSerializer.Default.SerializeAsync(stream, message, cancellationToken);
        stream.Position = 0;
        CoapMessage next = await CoapStreamSerializer.Default.DeserializeAsync(stream, cancellationToken);

        Assert.Equal(message.Payload.ToArray(), read.Payload.ToArray());
        Assert.Equal(message.Payload.ToArray(), next.Payload.ToArray());
    }

    [Fact]
    public async Task Messages_are_read_from_a_stream_consecutively()
    {
        CancellationToken cancellationToken = CancellationToken.None;
        using MemoryStream stream = new([.. CoapStreamSerializer.Default.Serialize(new CoapMessage(CoapCode.Valid)),
            .. CoapStreamSerializer.Default.Serialize(new CoapMessage(CoapCode.Changed))]);

        await foreach (CoapMessage one in CoapStreamSerializer.Default.ReadAllAsync(stream, cancellationToken))
        {
            Console.WriteLine(one);
        }

        Assert.Equal(stream.Length, stream.Position);
    }

    [Fact]
    public async Task Options_are_read_and_written_alone()
    {
        CancellationToken cancellationToken = CancellationToken.None;
        CoapMessage message = new(CoapCode.Get);
        message.Options.Add(new UriPathOption("a")).Add(new UriPathOption("b"));
        PipeReader pipe = PipeReader.Create(new ReadOnlySequence<byte>(Wire.Hex("b1610162ff21")));

        byte[] block = CoapOptionWriter.Write(message.Options);
        CoapOptionCollection options = CoapOptionReader.Default.Read(block, out int consumed);
        await foreach (CoapOption option in CoapOptionReader.Default.ReadAsync(pipe, cancellationToken))
        {
            Console.WriteLine(option);
        }

        Assert.Equal(["a", "b"], options.UriPath);
        Assert.Equal(block.Length, consumed);
        Assert.Equal("!"u8.ToArray(), (await pipe.ReadAsync(cancellationToken)).Buffer.ToArray());
    }

    [Fact]
    public void A_custom_format_reads_the_bytes_that_it_wrote()
    {
        ShortCodec codec = new();
        CoapMessage read = codec.Deserialize(codec.Serialize(new CoapMessage(CoapCode.Content) { Payload = "21.5"u8.ToArray() }));

        Assert.Equal("21.5"u8.ToArray(), read.Payload.ToArray());
    }
}

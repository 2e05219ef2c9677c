using CoAP.NET.QBlock;
using CoAP.NET.QBlock.Server;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// A server that uses Q-Block without security, and requests by hand. What it sends is read message by message, whenever it comes.
/// </summary>
public abstract class QBlockTest : BlockwiseTest
{
    private ushort _messageId = 0x2000;
    private byte _token;

    private protected QBlockTest() => Options.UseQBlock(CoapQBlockPolicy.AllowUnsecured);

    /// <summary>Hands a request in; gives what was sent because of it.</summary>
    private protected List<CoapMessage> Deliver(CoapMessage message)
    {
        message.MessageId = _messageId++;
        Transport.TakeSent();
        Transport.Receive(Peer, s_serializer.Serialize(message));
        return Take();
    }

    private protected List<CoapMessage> Take() => [.. Transport.TakeSent().Select(hex => s_serializer.Deserialize(Wire.Hex(hex)))];

    /// <summary>What is sent in a time.</summary>
    private protected List<CoapMessage> During(double seconds)
    {
        Transport.TakeSent();
        Clock.Advance(FromSeconds(seconds));
        return Take();
    }

    /// <summary>The request with a block; its token is the number of the message.</summary>
    private protected CoapMessage QBlock1(byte[] body, int number, int size = 16, byte tag = 9, bool confirmable = false,
        string path = "/store", CoapMethod method = CoapMethod.Put, Action<CoapOptionCollection>? options = null)
    {
        int end = Math.Min(body.Length, (number + 1) * size);
        CoapMessage message = Message(
            method,
            path,
            all =>
            {
                all.Add(new QBlock1Option(number, end < body.Length, size));
                all.Size1 = (uint)body.Length;
                all.Add(new RequestTagOption(new byte[] { tag }));
                options?.Invoke(all);
            },
            body[(number * size)..end]);
        message.Type = confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable;
        message.Token = new CoapToken([++_token]);
        return message;
    }

    private protected CoapMessage QBlock2(string path, bool confirmable, Action<CoapOptionCollection>? options, params string[] blocks)
    {
        CoapMessage message = Message(CoapMethod.Get, path, all =>
        {
            foreach (string block in blocks)
            {
                all.Add(new QBlock2Option(TransferTestBlocks.Parse(block)));
            }

            options?.Invoke(all);
        });
        message.Type = confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable;
        message.Token = new CoapToken([++_token]);
        return message;
    }

    private protected CoapMessage QBlock2(string path, params string[] blocks) => QBlock2(path, false, null, blocks);

    private protected static int NumberOf(CoapMessage message) => message.Options.Get<QBlock2Option>()!.Value.Number;

    private protected static int[] Numbers(IEnumerable<CoapMessage> messages) => [.. messages.Select(NumberOf)];

    private protected static string MissingOf(CoapMessage message)
    {
        Assert.Equal((CoapCode.RequestEntityIncomplete, CoapContentFormat.MissingBlockList), (message.Code, message.Options.ContentFormat));
        return Wire.Hex(message.Payload.Span);
    }

    private protected static class TransferTestBlocks
    {
        public static BlockValue Parse(string text) => text.Split('/') is [string number, string more, string size]
            ? BlockValue.FromSize(int.Parse(number), more == "1", int.Parse(size))
            : throw new FormatException(text);
    }
}

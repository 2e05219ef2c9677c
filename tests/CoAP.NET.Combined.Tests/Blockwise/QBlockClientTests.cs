using CoAP.NET.Errors;
using CoAP.NET.QBlock;
using CoAP.NET.QBlock.Server;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Q-Block1 and Q-Block2 in the role of a client: RFC 9177 sections 4.1, 4.3, 4.4, 5 and 7.2.</summary>
public sealed class QBlockClientTests : TransferTest
{
    private readonly byte[] _body = Bytes(25 * 64);

    public QBlockClientTests()
    {
        Options.UseQBlock(CoapQBlockPolicy.AllowUnsecured);
        Options.Parameters = CoapTransmissionParameters.Default with { PreferredBlockSize = 64 };
    }

    // Requests arrive on another thread while the test looks.
    private CoapMessage[] Blocks
    {
        get
        {
            lock (Requests)
            {
                return [.. Requests.Where(static request => request.Type == CoapMessageType.NonConfirmable)];
            }
        }
    }

    private static int NumberOf(CoapMessage message) => message.Options.Get<QBlock1Option>()!.Value.Number;

    private static string[] Asked(CoapMessage message) =>
        [.. message.Options.GetAll<QBlock2Option>().Select(option => option.Value.ToString())];

    private Task<CoapResponse> PutAsync(CancellationToken cancellationToken = default) =>
        Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(_body), Confirmable = false },
            cancellationToken);

    private Task<CoapResponse> GetAsync() => Client.SendAsync(new CoapRequest(CoapMethod.Get, Uri) { Confirmable = false });

    /// <summary>Knows Q-Block; what else is said to Non-confirmable requests is up to the test.</summary>
    private void Serve(Func<CoapMessage, CoapMessage?> answer) =>
        Answer = request => request.Type == CoapMessageType.Confirmable ? Reply(CoapCode.Content) : answer(request);

    private static CoapMessage Missing(params int[] numbers)
    {
        CoapMessage message = Reply(CoapCode.RequestEntityIncomplete, payload: MissingBlockList.Write(numbers));
        message.Options.ContentFormat = CoapContentFormat.MissingBlockList;
        return message;
    }

    private static CoapMessage Part(byte[] body, int number, string etag = "01", uint? size2 = null)
    {
        int end = Math.Min(body.Length, (number + 1) * 64);
        CoapMessage message = Reply(CoapCode.Content, payload: body.AsMemory((number * 64)..end), etag: etag,
            size2: size2 ?? (uint)body.Length);
        message.Options.Add(new QBlock2Option(number, end < body.Length, 64));
        return message;
    }

    [Fact]
    [Rfc("9177-4.1-2")]
    [Rfc("9177-4.1-1")]
    public async Task A_client_probes_for_Q_Block_by_a_Confirmable_message_and_falls_back_to_Block1()
    {
        Answer = request => request.Options.Contains(OptionNumber.QBlock2) ? Reply(CoapCode.BadOption)
            : Reply(request.Options.Block1 is { More: true } ? CoapCode.Continue : CoapCode.Changed, request.Options.Block1.ToString());
        await Within(PutAsync()).Gives(CoapCode.Changed);
        Assert.Equal(CoapMessageType.Confirmable, Requests[0].Type);
        Assert.Equal(["0/0/16"], Asked(Requests[0]));
        Assert.Null(Requests[0].Options.Block2);
        Assert.Equal(1, Requests.Count(request => request.Options.Contains(OptionNumber.QBlock2)));
        Assert.All(Requests, request => Assert.False(request.Options.Contains(OptionNumber.QBlock1)));
        Assert.Equal(25, Requests.Count(request => request.Options.Block1 is not null));
    }

    [Fact]
    public async Task A_body_with_more_blocks_than_block_numbers_is_refused()
    {
        Serve(_ => null);
        CoapRequest request = new(CoapMethod.Put, Uri)
        {
            Content = CoapContent.Binary(new byte[((BlockValue.MaxNumber + 1) * 16) + 1]),
            Confirmable = false,
            BlockSize = 16,
        };
        CoapException exception = await Assert.ThrowsAsync<CoapException>(() => Within(Client.SendAsync(request)));
        exception.Mentions("too long for blocks of 16 bytes");
        Assert.Empty(Blocks);
    }

    [Fact]
    [Rfc("9177-4.3-1")]
    [Rfc("9177-4.3-2")]
    [Rfc("9177-4.6-1")]
    [Rfc("9177-7-1")]
    public async Task A_body_goes_in_sets_with_a_token_for_each_block_and_one_tag()
    {
        Serve(request => NumberOf(request) switch { 9 or 19 => Reply(CoapCode.Continue), 24 => Reply(CoapCode.Changed), _ => null });
        await Within(PutAsync()).Gives(CoapCode.Changed);
        CoapMessage[] blocks = Blocks;
        Assert.Equal(Enumerable.Range(0, 25), blocks.Select(NumberOf));
        Assert.Equal(25, blocks.Select(block => block.Token).Distinct().Count());
        Assert.Single(blocks.Select(block => Wire.Hex(block.Options.RequestTags.Single().Span)).Distinct());
        Assert.All(blocks, block => Assert.Equal((uint)_body.Length, block.Options.Size1));
        Assert.Equal(_body, blocks.SelectMany(block => block.Payload.ToArray()));
        await Eventually.IsTrueAsync(
            () => CoAP.NET.Exchanges.ExchangeLayer.MultiResponseTokenCountOf(Client.Endpoint.Pipelines[0].Channels.All().First()) == 0);
        AssertAllIsFree();
    }

    [Fact]
    [Rfc("9177-7.2-1")]
    public async Task Without_Continue_the_next_set_waits_for_NON_TIMEOUT()
    {
        Serve(request => NumberOf(request) == 24 ? Reply(CoapCode.Changed) : null);
        Task<CoapResponse> put = PutAsync();
        await Eventually.IsTrueAsync(() => Blocks.Length == 10);
        Clock.Advance(FromSeconds(1.99));
        Assert.Equal(10, Blocks.Length);
        Assert.All(Client.Endpoint.GetSnapshot().Peers, peer => Assert.Equal(0, peer.Observations));
        Clock.Advance(FromSeconds(1.02));
        await Eventually.IsTrueAsync(() => Blocks.Length == 20);
        Clock.Advance(FromSeconds(3.01));
        await Within(put).Gives(CoapCode.Changed);
    }

    [Fact]
    [Rfc("9177-4.3-2")]
    [Rfc("9177-5-1")]
    public async Task Missing_blocks_are_sent_again_once_in_ascending_order_and_an_unordered_list_is_dropped()
    {
        int lists = 0;
        bool hasThree = false;
        Serve(request =>
        {
            hasThree |= lists > 0 && NumberOf(request) == 3;
            return NumberOf(request) switch
            {
                9 when lists == 0 => Missing(7, 3),
                9 => null,
                8 when lists++ == 0 => Missing(3, 3, 7),
                7 when hasThree => Reply(CoapCode.Continue),
                19 => Reply(CoapCode.Continue),
                24 => Reply(CoapCode.Changed),
                _ => null,
            };
        });
        Task<CoapResponse> put = PutAsync();
        await Eventually.IsTrueAsync(() => Blocks.Length >= 12);
        Assert.Equal([3, 7], Blocks.Skip(10).Take(2).Select(NumberOf));
        await Within(put).Gives(CoapCode.Changed);
        Assert.Equal(27, Blocks.Length);
        Assert.Equal(Blocks[3].Options.RequestTags.Single().ToArray(), Blocks[10].Options.RequestTags.Single().ToArray());
    }

    [Fact]
    [Rfc("9177-4.3-8")]
    public async Task After_cancellation_a_late_list_of_missing_blocks_is_rejected()
    {
        Serve(static _ => null);
        using CancellationTokenSource cancellation = new();
        Task<CoapResponse> put = PutAsync(cancellation.Token);
        await Eventually.IsTrueAsync(() => Blocks.Length == 10);
        await cancellation.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(put));
        AssertAllIsFree();
        Transport.TakeSent();
        string token = Wire.Hex(Blocks[^1].Token.ToArray());
        Transport.Receive(CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 5683), $"5{token.Length / 2:x}88abcd{token}c20110ff01");
        string[] sent = Transport.TakeSent();
        Assert.True(sent is ["7000abcd"], $"{sent.Length}: {Client.Endpoint.Counters}");
    }

    [Fact]
    [Rfc("9177-7.2-2")]
    public async Task A_silent_server_gets_the_last_block_four_more_times_and_then_the_request_fails()
    {
        Serve(static _ => null);
        Task<CoapResponse> put = PutAsync();
        await Eventually.IsTrueAsync(() => Blocks.Length == 10);
        Clock.Advance(FromSeconds(200));
        Assert.Equal(CoapTimeoutReason.NoResponse, (await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(put))).Reason);
        await Eventually.IsTrueAsync(() => Blocks.Length == 29);
        Assert.Equal([24, 24, 24, 24, 24], Blocks[^5..].Select(NumberOf));
        AssertAllIsFree();
    }

    [Fact]
    [Rfc("9177-4.4-2")]
    [Rfc("9177-4.4-3")]
    [Rfc("9177-7.2-1")]
    public async Task A_Q_Block2_download_confirms_sets_requests_missing_blocks_and_ignores_duplicates()
    {
        byte[] body = Bytes(12 * 64, 5);
        byte[] altered = Bytes(12 * 64, 6);
        Serve(request =>
        {
            string asked = string.Join(" ", Asked(request));
            byte[] token = request.Token.ToArray();
            switch (asked)
            {
                case "0/1/64":
                    for (int number = 0; number < 10; number++)
                    {
                        if (number is not (3 or 7))
                        {
                            Send(token, Part(body, number));
                        }
                    }

                    Send(token, Part(altered, 2));
                    break;
                case "3/0/64 7/0/64":
                    Send(token, Part(body, 3));
                    Send(token, Part(body, 7));
                    break;
                case "10/1/64":
                    Send(token, Part(body, 11));
                    Send(token, Part(body, 10));
                    break;
                default:
                    break;
            }

            return null;
        });
        Task<CoapResponse> get = GetAsync();
        await Eventually.IsTrueAsync(() => Blocks.Length == 1 && _sent == 9);
        Clock.Advance(FromSeconds(3.9));
        Assert.Single(Blocks);
        Clock.Advance(FromSeconds(0.2));
        CoapResponse response = await Within(get);
        Assert.Equal(body, response.Payload.ToArray());
        Assert.Equal(["0/1/64", "3/0/64 7/0/64", "10/1/64"], Blocks.Select(request => string.Join(" ", Asked(request))));
        Assert.False(response.Options.Contains(OptionNumber.QBlock2));
    }

    [Fact]
    [Rfc("9177-4.6-1")]
    public async Task A_size_that_is_off_by_one_fails_the_download()
    {
        byte[] body = Bytes(100, 5);
        Serve(_ => Part(body, 1, size2: 101));
        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(GetAsync()));
    }

    [Fact]
    public async Task A_response_that_begins_by_Block2_is_completed_by_Block2()
    {
        byte[] body = Bytes(100, 5);
        Answer = request =>
            request.Options.Block2 is { Number: 1 } ? Reply(CoapCode.Content, block2: "1/0/64", payload: body.AsMemory(64), etag: "01")
                : request.Type == CoapMessageType.Confirmable ? Reply(CoapCode.Content)
                : Reply(CoapCode.Content, block2: "0/1/64", payload: body.AsMemory(0, 64), etag: "01");
        Assert.Equal(body, (await Within(GetAsync())).Payload.ToArray());
    }

    private int _sent;
    private ushort _messageId = 0x4000;

    private void Send(byte[] token, CoapMessage message)
    {
        message.Type = CoapMessageType.NonConfirmable;
        message.MessageId = _messageId++;
        message.Token = new CoapToken(token);
        Transport.Receive(CoAP.NET.CoapAddress.FromIPv4(0xc0000201, 5683),
            new CoAP.NET.CoapDatagramSerializer().Serialize(message));
        _sent++;
    }
}

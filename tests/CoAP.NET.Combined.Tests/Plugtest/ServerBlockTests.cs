using CoAP.NET.Tests.Blockwise;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_BLOCK of the ETSI plugtests, our side as the server: every byte of every message.</summary>
public class ServerBlockTests : PlugtestServer
{
    private const string Token = "da0de950816b8e11";

    // Uri-Path and what stands between it and the Block option.
    private const string Update = "bc 'large-update' 10";
    private const string Create = "bc 'large-create' 10";
    private const string Post = "ba 'large-post' 10";

    private static readonly string s_large = LargeText.Make(2000);
    private static readonly string s_body = string.Concat(Enumerable.Range(0, 80).Select(static i => $"block line {i:d4}\n"));
    private ushort _messageId = 0x3503;

    [Fact]
    [Rfc("7959-2.4-1", "7959-2.4-3", "7959-2.4-4", "7959-4-2")]
    public void BLOCK_01_the_server_sends_blocks_of_the_size_that_the_client_requests()
    {
        Ask("01", "b5 'large'", 0xc, Block(0, false, 64),
            $"45 48 <etag:8> 80 {Option(0xb, Block(0, true, 64))} 52 07d0 ff {Hex(s_large, 0, 64)}");
        Rest(1, 64);
    }

    [Fact]
    [Rfc("7959-2.4-6", "7959-2.4-8")]
    public void BLOCK_02_the_server_chooses_the_block_size_until_the_client_requests_a_smaller_one()
    {
        // The server's size; the client goes on with that, or with a smaller one of its own at the same place.
        Exchange($"48 01 3501 {Token} b5 'large'",
            $"68 45 3501 {Token} 48 <etag:8> 80 {Option(0xb, Block(0, true, 1024))} 52 07d0 ff {Hex(s_large, 0, 1024)}");
        Rest(1, 1024);
        Rest(16, 64);
    }

    [Fact]
    [Rfc("7959-2.3-2", "7959-2.9.1-1", "7959-2.5-6")]
    public void BLOCK_03_a_PUT_body_in_blocks_is_stored_and_returned()
    {
        Upload("03", Update, "44");
        Ask("01", "bc 'large-update'", 0xc, Block(0, false, 1024),
            $"45 48 <etag:8> 80 {Option(0xb, Block(0, true, 1024))} 52 0500 ff {Hex(s_body, 0, 1024)}");
        Ask("01", "bc 'large-update'", 0xc, Block(1, false, 1024),
            $"45 48 <etag> 80 {Option(0xb, Block(1, false, 1024))} ff {Hex(s_body, 1024, 256)}");
        Assert.Equal(2, Executed);
    }

    [Fact]
    [Rfc("7959-2.9.1-1")]
    public void BLOCK_03_a_PUT_in_blocks_has_no_effect_before_its_last_block()
    {
        Upload("03", Update, null);
        Ask("01", "bc 'large-update'", 0xc, Block(0, false, 64),
            $"45 48 <etag:8> 80 {Option(0xb, Block(0, true, 64))} 52 07d0 ff {Hex(s_large, 0, 64)}");
    }

    [Fact]
    [Rfc("7959-2.5-7")]
    public void BLOCK_03_a_PUT_whose_blocks_arrive_twice_is_executed_once()
    {
        Upload("03", Update, "44", copies: 2);
        Ask("01", "bc 'large-update'", 0xc, Block(0, false, 1024),
            $"45 48 <etag:8> 80 {Option(0xb, Block(0, true, 1024))} 52 0500 ff {Hex(s_body, 0, 1024)}");
        Assert.Equal(2, Executed);
    }

    [Fact]
    [Rfc("7959-2.9.1-1")]
    public void BLOCK_04_a_POST_body_in_blocks_creates_a_resource()
    {
        Upload("02", Create, "41 8c 'large-create' 01 '1'", from: 8);
        Ask("01", "bc 'large-create' 01 '1'", 0xc, Block(19, false, 64),
            $"45 48 <etag:8> 80 {Option(0xb, Block(19, false, 64))} ff {Hex(s_body, 1216, 64)}");
        Assert.Equal(2, Executed);
    }

    [Fact]
    [Rfc("7959-2.7-1", "7959-2.4-3")]
    public void BLOCK_05_a_POST_body_in_blocks_gets_a_response_in_blocks_and_is_executed_once()
    {
        string answer = $"1280 bytes came.\n{s_large}";

        // The last block is answered with Block2 before Block1, and the size of what comes.
        Upload("02", Post, $"44 48 <etag:8> 80 {Option(0xb, Block(0, true, 64))}", from: 23,
            after: $"12 {answer.Length:x4} ff {Hex(answer, 0, 64)}");

        // The rest is asked for by the same request without Block1 and without its payload.
        for (int number = 1; number * 64 < answer.Length; number++)
        {
            bool more = (number + 1) * 64 < answer.Length;
            Ask("02", Post, 0xb, Block(number, false, 64),
                $"44 48 <etag> 80 {Option(0xb, Block(number, more, 64))} ff {Hex(answer, number * 64, 64)}");
        }

        Assert.Equal(1, Executed);
    }

    [Fact]
    [Rfc("7959-2.2-3")]
    public void BLOCK_06_the_server_sends_a_representation_in_blocks_of_16_bytes()
    {
        // 0/0/16 is an option without a value.
        Exchange($"48 01 cb00 {Token} b5 'large' c0", $"68 45 cb00 {Token} 48 <etag:8> 80 b1 08 52 07d0 ff {Hex(s_large, 0, 16)}");
        Rest(1, 16);
    }

    private static BlockValue Block(int number, bool more, int size) => BlockValue.FromSize(number, more, size);

    private static string Option(int delta, BlockValue block)
    {
        string value = block.Hex();
        return (delta < 13 ? $"{delta:x}{value.Length / 2}" : $"d{value.Length / 2}{delta - 13:x2}") + value;
    }

    private static string Hex(string text, int offset, int length) =>
        Wire.Hex(Encoding.UTF8.GetBytes(text, offset, Math.Min(length, text.Length - offset)));

    /// <summary>Asks for all further blocks of /large.</summary>
    private void Rest(int number, int size)
    {
        for (; number * size < s_large.Length; number++)
        {
            bool more = (number + 1) * size < s_large.Length;
            Ask("01", "b5 'large'", 0xc, Block(number, false, size),
                $"45 48 <etag> 80 {Option(0xb, Block(number, more, size))} ff {Hex(s_large, number * size, size)}");
        }
    }

    private void Ask(string code, string options, int delta, BlockValue block, string answer)
    {
        _messageId++;
        Exchange($"48 {code} {_messageId:x4} {Token} {options} {Option(delta, block)}",
            $"68 {answer[..2]} {_messageId:x4} {Token} {answer[2..]}");
    }

    /// <summary>Sends a body of 1,280 bytes in blocks of 64; without a last answer it stops before the last block.</summary>
    /// <param name="code">The code of the request.</param>
    /// <param name="options">Its options before Block1.</param>
    /// <param name="last">The answer to the last block, up to the option before Block1.</param>
    /// <param name="from">The number of that option.</param>
    /// <param name="after">What follows Block1.</param>
    /// <param name="copies">How often each message is sent.</param>
    private void Upload(string code, string options, string? last, int from = 0, string after = "", int copies = 1)
    {
        for (int number = 0; number < (last is null ? 19 : 20); number++)
        {
            bool more = number < 19;
            BlockValue block = Block(number, more, 64);
            _messageId++;
            string answer = more || last is null
                ? $"68 5f {_messageId:x4} {Token} {Option(27, block)}"
                : $"68 {last[..2]} {_messageId:x4} {Token} {last[2..]} {Option(27 - from, block)} {after}";
            for (int i = 0; i < copies; i++)
            {
                // Size1 in the first one.
                Exchange($"48 {code} {_messageId:x4} {Token} {options} {Option(15, block)} {(number == 0 ? "d2 14 0500" : string.Empty)} "
                    + $"ff {Hex(s_body, number * 64, 64)}", answer);
            }
        }
    }
}

using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// RFC 7959 and RFC 9177: blocks of other sizes, out of order, of other bodies, and without end. A block option is written as number, more
/// and size exponent in one value.
/// </summary>
internal static class BlockTable
{
    // PUT /body with Block1 of one byte; SZX 2 is 64 bytes.
    private const string Put = "40 03 {0} b4'body' d1 03 ";
    private const string Get = "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; ";
    private const string First = Get + "> 64 45 <mid> <token> d1 0a 0a ff [61*64] ; < 44 01 <mid:2> <token:4> b1 'x' c1 12 ; ";
    private const string Upload = "put /x 150 ; < 44 03 <mid:2> <token:4> b1 'x' .. ; ";
    private const string Second = "< 44 03 <mid:2> <token:4> b1 'x' .. ; ";

    public static HostileTable Table { get; } = new("Block", [.. Uploads(), .. Downloads(), .. QBlocks()],
        [.. ClientDownloads(), .. ClientUploads()], [], []);

    private static IEnumerable<HostileRow> Uploads() =>
    [
        new("Size exponent 7 in Block1", Block("7d34", "07", 16) + " ; < 60 80 7d34 ..", CoapCounter.RequestsReceived, "7959-2.2-1"),
        new("Size exponent 7 in Block1 with more to come", Block("7d34", "0f", 64) + " ; < 60 80 7d34 ..", CoapCounter.RequestsReceived,
            "7959-2.2-1"),
        new("Block1 of four bytes", "> 40 03 7d34 b4'body' d4 03 0000000a ff [61*64] ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "7252-5.4.3-1 7959-2.1-1"),
        new("Block1 twice", "> 40 03 7d34 b4'body' d1 03 0a 01 0a ff [61*64] ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "7252-5.4.5-1 7959-2.1-1"),
        new("Number 5 first", Block("7d34", "5a", 64) + " ; < 60 88 7d34 ..", CoapCounter.BodiesIncomplete, "7959-2.9.2-1"),
        new("Number 1,048,575 first", "> 40 03 7d34 b4'body' d3 03 fffffa ff [61*64] ; < 60 8? 7d34 ..", CoapCounter.RequestsReceived,
            "7959-2.2-4"),
        new("Number 1,048,575 of 1,024 bytes, which is a body of 1 GiB",
            "> 40 03 7d34 b4'body' d3 03 fffffe ff [61*1024] ; < 60 8? 7d34 ..", CoapCounter.RequestsReceived, "7959-2.2-4"),
        new("A last block first", Block("7d34", "32", 10) + " ; < 60 88 7d34 ..", CoapCounter.BodiesIncomplete, "7959-2.5-1"),
        new("More to come and 63 bytes of 64", Block("7d34", "0a", 63) + " ; < 60 80 7d34 ..", CoapCounter.RequestsReceived, "7959-2.3-1"),
        new("More to come and 65 bytes of 64", Block("7d34", "0a", 65) + " ; < 60 80 7d34 ..", CoapCounter.RequestsReceived, "7959-2.3-1"),
        new("More to come and no bytes", "> 40 03 7d34 b4'body' d1 03 0a ; < 60 80 7d34 ..", CoapCounter.RequestsReceived, "7959-2.3-1"),
        new("A last block larger than its size", Block("7d34", "02", 65) + " ; < 60 80 7d34 ..", CoapCounter.RequestsReceived,
            "7959-2.3-1"),
        new("One block that is all", Block("7d34", "02", 10) + " ; < 60 44 7d34 c0 d1 02 02 ff '10'", CoapCounter.RequestsReceived,
            "7959-2.9.1-1"),
        new("Two blocks", Ok("7d34", "0a") + Last("7d35", "12", "74"), CoapCounter.BodiesAssembled, "7959-2.9.1-1"),
        new("A gap", Ok("7d34", "0a") + Block("7d35", "2a", 64) + " ; < 60 88 7d35 ..", CoapCounter.BodiesIncomplete, "7959-2.9.2-1"),
        new("A block again under another Message ID is taken once",
            Ok("7d34", "0a") + Ok("7d35", "1a") + Block("7d36", "1a", 64) + " ; < 60 5f 7d36 .. ; " + Last("7d37", "22", "138"),
            CoapCounter.BodiesAssembled, "7959-2.5-7"),
        new("A block again under the same Message ID is taken once",
            Ok("7d34", "0a") + Ok("7d35", "1a") + Ok("7d35", "1a") + Last("7d37", "22", "138"), CoapCounter.Duplicates,
            "7959-2.5-7 7252-4.5-1"),
        new("Number 0 again begins again", Ok("7d34", "0a") + Ok("7d35", "1a") + Ok("7d36", "0a") + Last("7d37", "12", "74"),
            CoapCounter.BodiesAssembled, "7959-2.5-3"),
        new("The last block again under another Message ID",
            Ok("7d34", "0a") + Last("7d35", "12", "74") + " ; " + Block("7d36", "12", 10) + " ; < 60 ?? 7d36 ..",
            CoapCounter.RequestsReceived, "7959-2.5-7", 3),
        new("Blocks become smaller in the middle",
            Ok("7d34", "0a") + Block("7d35", "48", 16) + " ; < 60 5f 7d35 .. ; " + Block("7d36", "50", 10)
                + " ; < 60 44 7d36 c0 d1 02 50 ff '90'", CoapCounter.BodiesAssembled, "7959-2.3-3"),
        new("Blocks become larger in the middle", Ok("7d34", "0a") + Ok("7d35", "1a") + Block("7d36", "1b", 128) + " ; < 60 ?? 7d36 ..",
            CoapCounter.RequestsReceived, "7959-2.3-3", 3),
        new("A smaller block of what is there already is taken once",
            Ok("7d34", "0a") + Block("7d35", "18", 16) + " ; < 60 5f 7d35 .. ; " + Last("7d36", "12", "74"), CoapCounter.BodiesAssembled,
            "7959-2.5-7"),
        new("Another Content-Format in the middle",
            "> 40 03 7d34 b4'body' 11 32 d1 02 0a ff [61*64] ; < 60 5f 7d34 .. ; > 40 03 7d35 b4'body' 11 3c d1 02 12 ff [61*10] ; < 60 88 "
                + "7d35 ..", CoapCounter.BodiesIncomplete, "7959-2.3-4"),
        new("Another method in the middle", Ok("7d34", "0a") + "> 40 02 7d35 b1'x' d1 03 12 ff [61*10] ; < 60 88 7d35 ..",
            CoapCounter.BodiesIncomplete, "7959-2.5-4"),
        new("Another path in the middle", Ok("7d34", "0a") + "> 40 03 7d35 b5'small' d1 03 12 ff [61*10] ; < 60 88 7d35 ..",
            CoapCounter.BodiesIncomplete, "7959-2.5-4"),
        new("The second block from another port", Ok("7d34", "0a") + "b> 40 03 7d35 b4'body' d1 03 12 ff [61*10] ; b< 60 88 7d35 ..",
            CoapCounter.BodiesIncomplete, "7959-2.5-4"),
        new("Two bodies in turn by Request-Tag",
            Tagged("7d34", "0a", 64, "61") + " ; < 60 5f 7d34 .. ; " + Tagged("7d35", "0a", 64, "62") + " ; < 60 5f 7d35 .. ; "
                + Tagged("7d36", "12", 1, "61") + " ; < 60 44 7d36 c0 d1 02 12 ff '65' ; " + Tagged("7d37", "12", 2, "62")
                + " ; < 60 44 7d37 c0 d1 02 12 ff '66'", CoapCounter.BodiesAssembled, "9175-3.3-1 7959-2.5-4", 2),
        new("A last block of another Request-Tag",
            Tagged("7d34", "0a", 64, "61") + " ; < 60 5f 7d34 .. ; " + Tagged("7d35", "12", 1, "62") + " ; < 60 88 7d35 ..",
            CoapCounter.BodiesIncomplete, "9175-3.3-1"),
        new("Two bodies from one peer to two paths in turn",
            Ok("7d34", "0a") + "> 40 03 7d35 b5'small' d1 03 0a ff [61*64] ; < 60 5f 7d35 .. ; " + Last("7d36", "12", "74")
                + " ; > 40 03 7d37 b5'small' d1 03 12 ff [61*10] ; < 60 44 7d37 c0 d1 02 12 ff '74'", CoapCounter.BodiesAssembled,
            "7959-2.5-4", 2),
        new("Size1 of 4 GiB", "> 40 03 7d34 b4'body' d1 03 0a d4 14 ffffffff ff [61*64] ; < 60 8d 7d34 ..", CoapCounter.BodiesTooLarge,
            "7959-2.5-8 7252-5.9.2.9-1"),
        new("Size1 of one byte, which is not so",
            "> 40 03 7d34 b4'body' d1 03 0a d1 14 01 ff [61*64] ; < 60 5f 7d34 .. ; " + Last("7d35", "12", "74"),
            CoapCounter.BodiesAssembled, "7959-4-1"),
        new("Blocks beyond what the route takes",
            string.Concat(Enumerable.Range(0, 15)
                .Select(i =>
                    $"> 40 03 {0x7000 + i:x4} b5'small' d1 03 {(i << 4) + 10:x2} ff [61*64] ; < 60 5f {0x7000 + i:x4} .. ; "))
                + "> 40 03 7100 b5'small' d1 03 fa ff [61*64] ; < 60 8d 7100 ..", CoapCounter.BodiesTooLarge, "7959-2.5-8"),
        new("A body in one message beyond what the route takes", "> 40 03 7d34 b5'small' ff [61*1001] ; < 60 8d 7d34 ..",
            CoapCounter.BodiesTooLarge, "7252-5.9.2.9-1"),
        new("A block after the time for blocks is over", Ok("7d34", "0a") + "~ 300 ; " + Block("7d35", "12", 10) + " ; < 60 88 7d35 ..",
            CoapCounter.BodiesIncomplete, "7959-2.5-8"),
        new("A body that is never finished", Ok("7d34", "0a") + "~ 300", CoapCounter.BodiesAbandoned, "7959-2.5-8"),
        new("If-None-Match in a later block", Ok("7d34", "0a") + "> 40 03 7d35 50 64'body' d1 03 12 ff [61*10] ; < 60 ?? 7d35 ..",
            CoapCounter.RequestsReceived, "7959-2.10-1", 2),
        new("Block1 in a GET", "> 40 01 7d34 b1'x' d1 03 0a ff [61*64] ; < 60 ?? 7d34 ..", CoapCounter.RequestsReceived, "7959-2.1-1"),
        new("Block1 to what is not there", "> 40 03 7d34 b4'none' d1 03 0a ff [61*64] ; < 60 84 7d34 ..", CoapCounter.RequestsReceived,
            "7959-2.5-5"),
        new("Block1 with a method that the resource does not have", "> 40 03 7d34 b1'x' d1 03 0a ff [61*64] ; < 60 85 7d34 ..",
            CoapCounter.RequestsReceived, "7252-5.8-1"),
        new("A Non-confirmable block", "> 50 03 7d34 b4'body' d1 03 0a ff [61*64] ; < 50 5f ???? ..", CoapCounter.RequestsReceived,
            "7252-5.2.3-1"),
    ];

    private static IEnumerable<HostileRow> Downloads() =>
    [
        new("Size exponent 7 in Block2", "> 40 01 7d34 b3'big' c1 07 ; < 60 80 7d34 ..", CoapCounter.RequestsReceived, "7959-2.2-1"),
        new("Block2 of four bytes", "> 40 01 7d34 b3'big' c4 00000002 ; < 60 82 7d34 ..", CoapCounter.BadOptions, "7252-5.4.3-1"),
        new("Block2 twice", "> 40 01 7d34 b3'big' c1 02 01 12 ; < 60 82 7d34 ..", CoapCounter.BadOptions, "7252-5.4.5-1 7959-2.1-1"),
        new("More in a request for a block is ignored", "> 40 01 7d34 b3'big' c1 0a ; < 60 45 7d34 42 'v1' 81 2a b1 0a 51 c8 ..",
            CoapCounter.RequestsReceived, "7959-2.2-2"),
        new("An empty Block2 asks for 16 bytes", "> 40 01 7d34 b3'big' c0 ; < 60 45 7d34 42 'v1' 81 2a b1 08 ..",
            CoapCounter.RequestsReceived, "7959-2.2-3"),
        new("The first number beyond the end", "> 40 01 7d34 b3'big' c1 42 ; < 60 8? 7d34 ..", CoapCounter.RequestsReceived, "7959-2.4-6"),
        new("Number 1,048,575", "> 40 01 7d34 b3'big' c3 fffff2 ; < 60 8? 7d34 ..", CoapCounter.RequestsReceived, "7959-2.4-6 7959-2.2-4"),
        new("Number 1,048,575 of 1,024 bytes", "> 40 01 7d34 b3'big' c3 fffff6 ; < 60 8? 7d34 ..", CoapCounter.RequestsReceived,
            "7959-2.4-6 7959-2.2-4"),
        new("The last number", "> 40 01 7d34 b3'big' c1 32 ; < 60 45 7d34 42 'v1' 81 2a b1 32 ff 'klmnopqr'", CoapCounter.RequestsReceived,
            "7959-2.4-6"),
        new("Blocks backwards",
            "> 40 01 7d34 b3'big' c1 22 ; < 60 45 7d34 42 'v1' 81 2a b1 2a .. ; > 40 01 7d35 b3'big' c1 12 ; < 60 45 7d35 42 'v1' 81 2a b1 "
                + "1a ..", CoapCounter.RequestsReceived, "7959-2.4-6", 2),
        new("Another size for each block",
            "> 40 01 7d34 b3'big' c1 02 ; < 60 45 7d34 .. ; > 40 01 7d35 b3'big' c1 40 ; < 60 45 7d35 42 'v1' 81 2a b1 48 .. ; > 40 01 "
                + "7d36 b3'big' c1 21 ; < 60 45 7d36 42 'v1' 81 2a b1 29 ..", CoapCounter.RequestsReceived, "7959-2.4-8", 3),
        new("Block2 of what fits", "> 40 01 7d34 b1'x' c1 02 ; < 60 45 7d34 ..", CoapCounter.RequestsReceived, "7959-2.4-7"),
        new("A later block of what fits", "> 40 01 7d34 b1'x' c1 12 ; < 60 8? 7d34 ..", CoapCounter.RequestsReceived, "7959-2.4-6"),
        new("Block2 of what is not there", "> 40 01 7d34 b4'none' c1 02 ; < 60 84 7d34 ..", CoapCounter.RequestsReceived, "7959-C-3"),
        new("Block1 and Block2 in one request", "> 40 03 7d34 b4'body' c1 02 41 0a ff [61*64] ; < 60 5f 7d34 ..",
            CoapCounter.RequestsReceived, "7959-2.7-1"),
        new("Size2 of 4 GiB in a request", "> 40 01 7d34 b3'big' c1 02 54 ffffffff ; < 60 45 7d34 ..", CoapCounter.RequestsReceived,
            "7959-4-1"),
        new("A later block of an observation that there is none of", "> 41 01 7d34 01 60 53'obs' c1 12 ; < 61 ?? 7d34 01 .. ; observers 0",
            CoapCounter.RequestsReceived, "7959-2.6-2"),
    ];

    // Off without security (RFC 9177 section 11): options that are not known, and critical.
    private static IEnumerable<HostileRow> QBlocks() =>
    [
        new("Q-Block1", "> 40 03 7d34 b4'body' 81 0a d1 1c 40 d1 db 61 ff [61*64] ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "9177-4.1-1 9177-11-1"),
        new("Q-Block2", "> 40 01 7d34 b3'big' d1 07 02 ; < 60 82 7d34 ..", CoapCounter.BadOptions, "9177-4.1-1 9177-11-1"),
        new("Q-Block2 ten times", "> 40 01 7d34 b3'big' d1 07 02 [0112*9] ; < 60 82 7d34 ..", CoapCounter.BadOptions, "9177-4.1-5"),
        new("Block1 beside Q-Block1", "> 40 03 7d34 b4'body' 81 0a 81 0a ff [61*64] ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "9177-4.1-4"),
        new("Non-confirmable Q-Block1", "> 50 03 7d34 b4'body' 81 0a ff [61*64] ; < 50 82 ..", CoapCounter.BadOptions, "9177-4.1-1"),
    ];

    private static IEnumerable<HostileRow> ClientDownloads() =>
    [
        new("A whole download, to compare", First + "> 64 45 <mid> <token> d1 0a 12 ff 'end' ; = 2.05 [67]", CoapCounter.BadBlocks,
            "7959-2.4-2", 0),
        new("The first response is number 1", Get + "> 64 45 <mid> <token> d1 0a 1a ff [61*64] ; = InvalidResponse",
            CoapCounter.BadBlocks, "7959-C-2"),
        new("The first response is number 1,048,575", Get + "> 64 45 <mid> <token> d3 0a fffffa ff [61*64] ; = InvalidResponse",
            CoapCounter.BadBlocks, "7959-C-2 7959-2.2-4"),
        new("Another number than was asked for", First + "> 64 45 <mid> <token> d1 0a 3a ff [61*64] ; = InvalidResponse",
            CoapCounter.BadBlocks, "7959-C-2"),
        new("The number before", First + "> 64 45 <mid> <token> d1 0a 0a ff [61*64] ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-C-2"),
        new("Size exponent 7", Get + "> 64 45 <mid> <token> d1 0a 0f ff [61*64] ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-2.2-1"),
        new("More to come and 63 bytes of 64", Get + "> 64 45 <mid> <token> d1 0a 0a ff [61*63] ; = InvalidResponse",
            CoapCounter.BadBlocks, "7959-2.3-1"),
        new("More to come and no bytes", Get + "> 64 45 <mid> <token> d1 0a 0a ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-2.3-1 7959-C-1"),
        new("More to come and no bytes, later", First + "> 64 45 <mid> <token> d1 0a 1a ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-2.3-1 7959-C-1"),
        new("A last block longer than its size", First + "> 64 45 <mid> <token> d1 0a 12 ff [61*65] ; = InvalidResponse",
            CoapCounter.BadBlocks, "7959-2.3-1"),
        new("A larger size than was asked for", First + "> 64 45 <mid> <token> d1 0a 0b ff [61*128] ; = InvalidResponse",
            CoapCounter.BadBlocks, "7959-2.4-1"),
        new("A smaller size later", First + "> 64 45 <mid> <token> d1 0a 49 ff [61*32] ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-2.4-3"),
        new("Later without Block2", First + "> 64 45 <mid> <token> ff 'x' ; = InvalidResponse", CoapCounter.BadBlocks, "7959-2.1-1"),
        new("Later an error", First + "> 64 84 <mid> <token> ; = 4.04", CoapCounter.RequestsSent, "7959-2.4-6", 2),
        new("Block2 in an error, with more to come", Get + "> 64 84 <mid> <token> d1 0a 0a ff [61*64] ; = 4.04 [64]",
            CoapCounter.RequestsSent, "7959-C-3"),
        new("Another ETag later begins again",
            Get + "> 64 45 <mid> <token> 41 01 d1 06 0a ff [61*64] ; < 44 01 <mid:2> <token:4> b1 'x' c1 12 ; > 64 45 <mid> <token> 41 02 "
                + "d1 06 12 ff 'x' ; < 44 01 <mid:2> <token:4> b1 'x' c1 02 ; > 64 45 <mid> <token> 41 02 d1 06 02 ff 'y' ; = 2.05 y",
            CoapCounter.TransferRestarts, "7959-2.4-5"),
        new(
            "Another ETag each time", Get + "> 64 45 <mid> <token> 41 01 d1 06 0a ff [61*64] ; "
            + string.Concat(Enumerable.Range(2, 3)
                .Select(i =>
                    $"< 44 01 <mid:2> <token:4> b1 'x' c1 12 ; > 64 45 <mid> <token> 41 {i * 16:x2} d1 06 12 ff 'x' ; < 44 01 <mid:2> "
                        + $"<token:4> b1 'x' c1 02 ; > 64 45 <mid> <token> 41 {(i * 16) + 1:x2} d1 06 0a ff [61*64] ; "))
            + "< 44 01 <mid:2> <token:4> b1 'x' c1 12 ; > 64 45 <mid> <token> 41 99 d1 06 12 ff 'x' ; = RepresentationChanged",
            CoapCounter.TransferRestarts, "7959-2.4-5 7959-C-1", 3),
        new("Size2 of 4 GiB is a hint and takes no memory",
            Get + "> 64 45 <mid> <token> d1 0a 0a 54 ffffffff ff [61*64] ; < 44 01 <mid:2> <token:4> b1 'x' c1 12 ; > 64 45 <mid> <token> "
                + "d1 0a 12 ff 'x' ; = 2.05 [65]", CoapCounter.BadBlocks, "7959-C-1 7959-4-1", 0),
        new("Size2 of one byte, which is not so",
            Get + "> 64 45 <mid> <token> d1 0a 0a 51 01 ff [61*64] ; < 44 01 <mid:2> <token:4> b1 'x' c1 12 ; > 64 45 <mid> <token> d1 0a "
                + "12 ff 'x' ; = 2.05 [65]", CoapCounter.BadBlocks, "7959-4-1", 0),
        new("Blocks without end", Get + "> 64 45 <mid> <token> d1 0a 0e ff [61*1024] ; blocks 2000 ; = CoapException",
            CoapCounter.RequestsSent, "7959-C-1", 98),
        new("A later block that takes its time is from somebody else",
            First + "c> 64 45 <mid> <token> d1 0a 12 ff 'bad' ; = pending ; > 64 45 <mid> <token> d1 0a 12 ff 'end' ; = 2.05 [67]",
            CoapCounter.UnmatchedAcknowledgements, "7252-5.3.2-1"),
        new("Block1 in the response to a GET", Get + "> 64 45 <mid> <token> d1 0e 0a ff 'x' ; = 2.05 x", CoapCounter.RequestsSent,
            "7959-2.1-1"),
    ];

    private static IEnumerable<HostileRow> ClientUploads() =>
    [
        new("A whole upload, to compare",
            Upload + "> 64 5f <mid> <token> d1 0e 0a ; " + Second + "> 64 5f <mid> <token> d1 0e 1a ; " + Second
                + "> 64 44 <mid> <token> d1 0e 22 ; = 2.04", CoapCounter.BadBlocks, "7959-2.9.1-1", 0),
        
        // A hint to use more than was sent is none; without Block1 the code alone says what is wanted.
        new("2.31 with a larger size changes nothing",
            Upload + "> 64 5f <mid> <token> d1 0e 0e ; " + Second + "> 64 5f <mid> <token> d1 0e 1a ; " + Second
                + "> 64 44 <mid> <token> d1 0e 22 ; = 2.04", CoapCounter.BadBlocks, "7959-2.3-3", 0),
        new("2.31 with size exponent 7", Upload + "> 64 5f <mid> <token> d1 0e 0f ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-2.2-1"),
        new("2.31 with another number", Upload + "> 64 5f <mid> <token> d1 0e 5a ; = InvalidResponse", CoapCounter.BadBlocks,
            "7959-2.9.1-1"),
        new("2.31 without Block1",
            Upload + "> 64 5f <mid> <token> ; " + Second + "> 64 5f <mid> <token> d1 0e 1a ; " + Second
                + "> 64 44 <mid> <token> d1 0e 22 ; = 2.04", CoapCounter.BadBlocks, "7959-2.9.1-1", 0),
        new("2.31 to the last block",
            Upload + "> 64 5f <mid> <token> d1 0e 0a ; " + Second + "> 64 5f <mid> <token> d1 0e 1a ; " + Second
                + "> 64 5f <mid> <token> d1 0e 2a ; = InvalidResponse", CoapCounter.BadBlocks, "7959-2.9.1-1"),
        new("An error in the middle", Upload + "> 64 5f <mid> <token> d1 0e 0a ; " + Second + "> 64 80 <mid> <token> d1 0e 1a ; = 4.00",
            CoapCounter.RequestsSent, "7959-2.5-1", 2),
        new("4.13 without a hint", Upload + "> 64 8d <mid> <token> ; = 4.13", CoapCounter.RequestsSent, "7959-2.5-5"),
        new("2.31 to a GET", Get + "> 64 5f <mid> <token> d1 0e 0a ; = InvalidResponse", CoapCounter.BadBlocks, "7959-2.9.1-1"),
        new("A Reset in the middle", Upload + "> 64 5f <mid> <token> d1 0e 0a ; " + Second + "> 70 00 <mid> ; = Reset",
            CoapCounter.RequestsSent, "7252-4.2-8", 2),
    ];

    private static string Block(string id, string block, int length) =>
        "> " + Put.Replace("{0}", id) + $"{block} ff [61*{length}]";

    private static string Ok(string id, string block) => Block(id, block, 64) + $" ; < 60 5f {id} .. ; ";

    private static string Last(string id, string block, string length) =>
        Block(id, block, 10) + $" ; < 60 44 {id} c0 d1 02 {block} ff '{length}'";

    private static string Tagged(string id, string block, int length, string tag) =>
        "> " + Put.Replace("{0}", id) + $"{block} d1 fc {tag} ff [61*{length}]";
}

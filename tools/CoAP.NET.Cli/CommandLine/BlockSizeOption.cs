using System.CommandLine;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The block options of bodies (RFC 7959).</summary>
internal sealed class BlockSizeOption
{
    public Option<string?> BlockSize { get; } = MakeBlockSize();

    public void AddTo(GroupedHelpCommand command) => command.AddGroup(HelpGroup.Message, BlockSize);

    public void Apply(ParseResult parse, CoapRequest request)
    {
        if (parse.GetValue(BlockSize) is { } text && TryParse(text, out int number, out int size))
        {
            request.BlockSize = size;
            if (number > 0)
            {
                request.Download = new CoapDownloadOptions { Offset = (long)number * size };
            }
        }
    }

    private static Option<string?> MakeBlockSize()
    {
        Option<string?> option = new("--block-size", "-b")
        {
            Description = "The block size: 16, 32, 64, 128, 256, 512 or 1024. With NUM before it, a download begins at that block.",
            HelpName = "[NUM,]SIZE",
        };
        option.CompletionSources.Add("16", "32", "64", "128", "256", "512", "1024");
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: var text }] && !TryParse(text, out _, out _))
            {
                result.AddError(
                    $"'{text}' is not a block size: 16, 32, 64, 128, 256, 512 or 1024, with the first block in front if you like, such as "
                        + "4,256.");
            }
        });
        return option;
    }

    private static bool TryParse(string text, out int number, out int size)
    {
        int comma = text.IndexOf(',', StringComparison.Ordinal);
        number = 0;
        return int.TryParse(text.AsSpan(comma + 1), out size) && size is 16 or 32 or 64 or 128 or 256 or 512 or 1024
            && (comma < 0 || (int.TryParse(text.AsSpan(0, comma), out number) && number is >= 0 and < 1 << 20));
    }
}

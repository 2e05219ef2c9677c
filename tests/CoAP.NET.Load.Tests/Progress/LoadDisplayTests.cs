using System.Text.RegularExpressions;
using CoAP.NET.Load.Progress;
using Spectre.Console;

namespace CoAP.NET.Load.Tests;

public sealed class LoadDisplayTests
{
    [Fact]
    public async Task A_display_without_a_terminal_prints_a_line_for_each_second()
    {
        string[] lines = (await ShowAsync(LoadDisplayMode.Plain, display =>
        {
            display.BeginLevel("128 peers");
            display.Report(Ticks.Measuring);
            display.Report(Ticks.Measuring with { Elapsed = FromSeconds(3.4) });
            display.Say("[worker] lost");
            display.Report(Ticks.Measuring with { Elapsed = FromSeconds(4), PerSecond = 1_234_567.8, P99 = 12_345 });
        })).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(
            [
                "== 128 peers ==",
                "measuring  3 of 8 s      5 peers  1,000/s  p50 200 µs  p99 900 µs  errors 1  lost 2",
                "[worker] lost",
                "measuring  4 of 8 s      5 peers  1,234,568/s  p50 200 µs  p99 12.3 ms  errors 1  lost 2",
            ],
            lines);
    }

    [Fact]
    public async Task Lines_without_a_terminal_contain_no_control_characters()
    {
        string text = await ShowAsync(LoadDisplayMode.Plain, display =>
        {
            display.Report(Ticks.Measuring);
            display.Say("worker \u001b[2J\u009b31m failed");
        });
        Assert.Contains("failed", text, StringComparison.Ordinal);
        Assert.DoesNotContain(text, c => char.IsControl(c) && c is not ('\r' or '\n'));
    }

    [Fact]
    public async Task A_quiet_display_prints_nothing() => Assert.Empty(await ShowAsync(LoadDisplayMode.Quiet, display =>
    {
        display.BeginLevel("128 peers");
        display.Report(Ticks.Measuring);
        display.Say("x");
    }));

    [Fact]
    public async Task A_display_on_a_terminal_is_a_table_updated_in_place_with_a_curve_of_the_rate()
    {
        string text = await ShowAsync(LoadDisplayMode.Live, display =>
        {
            display.BeginLevel("128 peers");
            display.Report(Ticks.Measuring with { PerSecond = 500 });
            display.Report(Ticks.Measuring);
            display.Report(Ticks.Measuring with { Phase = "ending", PerSecond = 0 });
            display.Say("[worker] lost");
            display.BeginLevel("[1024] peers");
            display.Report(Ticks.Measuring with { PerSecond = 77 });
        });
        Assert.Contains('\u001b', text);
        string seen = Plain(text);
        foreach (string part in (string[])["128 peers", "per second", "ending", "3 of 8 s", "200 µs", "900 µs", "rate ▅█ up to 1,000/s",
            "[worker] lost", "[1024] peers", "█ up to 77/s"])
        {
            seen.Mentions(part);
        }

        // The first table stays above the second heading.
        Assert.True(seen.LastIndexOf("up to 1,000/s", Ordinal) < seen.IndexOf("[1024] peers", Ordinal));
    }

    [Fact]
    public async Task A_terminal_without_block_characters_shows_the_curve_in_ASCII()
    {
        string text = await ShowAsync(LoadDisplayMode.Live, display => display.Report(Ticks.Measuring), unicode: false);
        text.Mentions("rate @ up to 1,000/s");
        Assert.All(text.Replace("µ", ""), c => Assert.True(c < 128));
    }

    [Fact]
    public async Task Foreign_text_is_not_interpreted_as_markup()
    {
        string text = await ShowAsync(LoadDisplayMode.Live, display =>
        {
            display.Report(Ticks.Measuring with { Phase = "[red]x[/" });
            display.Say("[/]");
        });
        Plain(text).Mentions("[red]x[/");
    }

    [Fact]
    public async Task A_broken_output_stream_does_not_fail_the_run()
    {
        LoadDisplay display = new(Console(new BrokenWriter(), unicode: true), LoadDisplayMode.Plain);
        display.Report(Ticks.Measuring);
        await display.DisposeAsync();
        display.Report(Ticks.Measuring);
    }

    [Fact]
    public void A_file_is_not_treated_as_a_terminal() =>
        Assert.Equal(LoadDisplayMode.Plain, LoadDisplay.ModeFor(Console(new StringWriter(), unicode: true).Profile));

    [Theory]
    [InlineData(0, "-")]
    [InlineData(0.4, "0 µs")]
    [InlineData(999.4, "999 µs")]
    [InlineData(999.6, "1.00 ms")]
    [InlineData(9_994, "9.99 ms")]
    [InlineData(10_000, "10.0 ms")]
    [InlineData(99_960, "100 ms")]
    [InlineData(999_400, "999 ms")]
    [InlineData(1_234_000, "1.23 s")]
    public void Times_are_shown_with_three_digits(double microseconds, string expected) =>
        Assert.Equal(expected, LoadProgressFormatter.Duration(microseconds));

    [Theory]
    [InlineData(new double[0], "")]
    [InlineData(new double[] { 0, 0 }, "▁▁")]
    [InlineData(new double[] { 0, 100, 50, 99 }, "▁█▅█")]
    public void The_baseline_of_a_curve_is_zero(double[] values, string expected) =>
        Assert.Equal(expected, Sparkline.Draw(values, unicode: true));

    private static async Task<string> ShowAsync(LoadDisplayMode mode, Action<LoadDisplay> use, bool unicode = true)
    {
        StringWriter writer = new() { NewLine = "\n" };
        await using (LoadDisplay display = new(Console(writer, unicode), mode))
        {
            use(display);
        }

        return writer.ToString();
    }

    private static IAnsiConsole Console(TextWriter writer, bool unicode)
    {
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.Yes,
            ColorSystem = ColorSystemSupport.NoColors,
            Interactive = InteractionSupport.Yes,
            Out = new AnsiConsoleOutput(writer),
        });
        console.Profile.Width = 120;
        console.Profile.Capabilities.Unicode = unicode;
        return console;
    }

    private static string Plain(string text) => Regex.Replace(text, "\u001b\\[[0-9;?]*[A-Za-z]", "");

    private sealed class BrokenWriter : StringWriter
    {
        public override Encoding Encoding => Encoding.UTF8;

        public override Task WriteLineAsync(string? value) => throw new IOException("gone");
    }
}

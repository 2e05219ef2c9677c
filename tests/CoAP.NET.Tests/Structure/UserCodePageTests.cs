using System.Reflection;
using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Structure;

/// <summary>Who runs user code where stands on one page: all numbers of the chapter, and no mode that a thread hides.</summary>
public sealed partial class UserCodePageTests
{
    // Modes: what a thread does depends on them. The page explains them.
    private static readonly string[] s_modes = ["UserCode.t_role", "StageTime.t_now"];

    // Nothing depends on them but how much work something is: buffers and objects for their next use, and counts that are written in steps.
    private static readonly string[] s_savings =
    [
        "CoapCounters.t_cell",
        "SlowWatch.t_quickCalls",
        "SpareMessage.t_spare",
        "CoapDatagramPool.t_slot",
        "CoapDatagramPool.t_slotPool",
        "FrameCutter.t_view",
        "PortableUdpSocket.t_ipv4",
        "PortableUdpSocket.t_ipv6",
    ];

    private static readonly string s_chapter =
        Path.Combine(SourceTree.Src, SourceTree.Library, "Execution", "UserCode") + Path.DirectorySeparatorChar;

    [Fact]
    public void All_numbers_of_the_chapter_stand_on_its_page()
    {
        string[] files = [.. SourceTree.Files.Where(static file => file.StartsWith(s_chapter, StringComparison.Ordinal))];
        string[] elsewhere =
        [
            .. files.Where(static file => Path.GetFileName(file) != "UserCodePolicy.cs")
                .SelectMany(static file =>
                    File.ReadLines(file).Where(HasNumber).Select(line => $"{Path.GetFileName(file)}: {line.Trim()}")),
        ];
        Assert.Contains(files, static file => Path.GetFileName(file) == "UserCodePolicy.cs" && File.ReadLines(file).Any(HasNumber));
        Assert.Empty(elsewhere);
    }

    [Fact]
    public void No_thread_static_hides_a_mode_that_the_page_does_not_explain()
    {
        string[] statics =
        [
            .. typeof(CoapCounters).Assembly.GetTypes()
                .SelectMany(static type =>
                    type.GetFields(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly))
                .Where(static field => field.IsDefined(typeof(ThreadStaticAttribute)))
                .Select(static field => $"{field.DeclaringType!.Name}.{field.Name}"),
        ];
        Assert.Equal(s_modes.Concat(s_savings).Order(), statics.Order());
        string page = File.ReadAllText(Path.Combine(s_chapter, "UserCodePolicy.cs"));
        Assert.Contains("cref=\"UserCode.Role\"", page, StringComparison.Ordinal);
        Assert.Contains("cref=\"StageTime\"", page, StringComparison.Ordinal);
    }

    // One and two are bits, states and twice; anything else is a choice. Numbers of RFCs and decisions stand in comments.
    private static bool HasNumber(string line) => Number().IsMatch(Comment().Replace(line, string.Empty));

    [GeneratedRegex(@"(?<![\w.])(?:[3-9]|\d{2,})(?!\w)|TimeSpan\.From\w+\(\d")]
    private static partial Regex Number();

    [GeneratedRegex(@"//.*$|""[^""]*""")]
    private static partial Regex Comment();
}

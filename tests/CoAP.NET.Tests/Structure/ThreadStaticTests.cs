using System.Reflection;
using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Structure;

/// <summary>The state of a thread: no thread static is added without a decision whether it is a mode.</summary>
public sealed class ThreadStaticTests
{
    // Modes: what a thread does depends on them.
    private static readonly string[] s_modes = ["UserCodeScope.t_role"];

    // Nothing depends on them but how much work something is: buffers and objects for their next use, and counts that are written in steps.
    private static readonly string[] s_savings =
    [
        "CoapCounters.t_cell",
        "UserCodeCost.t_quickCalls",
        "CoapDatagramPool.t_slot",
        "CoapDatagramPool.t_slotPool",
        "FrameSplitter.t_spare",
        "PortableUdpSocket.t_ipv4",
        "PortableUdpSocket.t_ipv6",
    ];

    [Fact]
    public void Thread_static_fields_are_only_those_listed()
    {
        string[] statics =
        [
            .. SourceTree.Assemblies.SelectMany(static assembly => assembly.GetTypes())
                .SelectMany(static type =>
                    type.GetFields(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly))
                .Where(static field => field.IsDefined(typeof(ThreadStaticAttribute)))
                .Select(static field => $"{field.DeclaringType!.Name}.{field.Name}"),
        ];
        Assert.Equal(s_modes.Concat(s_savings).Order(), statics.Order());
    }
}

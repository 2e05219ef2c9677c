using System.Diagnostics;
using System.Reflection;
using System.Runtime.Loader;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Mesh;

/// <summary>How deep the stack is when an answer leaves: what whoever debugs the library reads.</summary>
public class FrameTests
{
    private const int MaxFrames = 40;

    // Each stage is its own frame and one for the link to the next one. The library is loaded anew, so that nothing of it was optimized,
    // and so inlined, by tests before this one.
    [Fact]
    public void A_GET_from_a_transport_and_back_to_it_takes_at_most_40_frames()
    {
        FreshContext context = new();
        Type fresh = context.LoadFromAssemblyPath(typeof(FrameTests).Assembly.Location)
            .GetType(typeof(OneGet).FullName!, throwOnError: true)!;
        Assert.NotSame(typeof(OneGet), fresh);
        string[] frames = (string[])fresh.GetMethod(nameof(OneGet.Frames), BindingFlags.Public | BindingFlags.Static)!.Invoke(null, null)!;
        frames[0].Begins("DirectTransport.Send");
        frames[^1].Begins("EndpointTransportContext.Receive");
        Assert.True(frames.Length <= MaxFrames, $"{frames.Length} frames:\n{string.Join('\n', frames)}");

        // The stages are in it, so the count is of the whole path.
        Assert.Equal(
            ["TransportInboundBlock", "ChannelInboundBlock", "SerializerInboundBlock", "MessagingInboundBlock", "ExchangesInboundBlock",
                "ResourceInboundBlock",
                "ExchangesOutboundBlock", "MessagingOutboundBlock", "SerializerOutboundBlock", "ChannelOutboundBlock",
                    "TransportOutboundBlock"],
            frames.Reverse().Where(static frame => frame.EndsWith("boundBlock.Process", Ordinal))
                .Select(static frame => frame.Split('.')[0]));
    }

    private sealed class FreshContext() : AssemblyLoadContext("frames")
    {
        protected override Assembly? Load(AssemblyName assemblyName) =>
            assemblyName.Name!.StartsWith("CoAP.NET", Ordinal)
                ? LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, $"{assemblyName.Name}.dll"))
                : null;
    }
}

/// <summary>A server that is asked once.</summary>
internal static class OneGet
{
    /// <summary>
    /// The methods on the stack when the answer was given to the transport, the transport's first, down to where the request came in.
    /// </summary>
    public static string[] Frames()
    {
        CoapServer server = new(new CoapEndpointOptions { Transports = { Shards = 1 } });
        DirectTransport transport = new();
        server.MapGet("/x", static () => "x");
        server.Endpoint.AddTransport(transport);
        server.StartAsync().GetAwaiter().GetResult();
        string[] methods = [];
        transport.OnSent = (_, _) => methods = [.. new StackTrace().GetFrames().Select(static frame => Describe(frame.GetMethod()!))];
        transport.Receive(CoapAddress.FromIPv4(0xc0000201, 40_000), "40010001b178");
        server.DisposeAsync().AsTask().GetAwaiter().GetResult();
        int first = Array.FindIndex(methods, static method => method == "DirectTransport.Send");
        int last = Array.FindIndex(methods, static method => method == "EndpointTransportContext.Receive");
        return methods[first..(last + 1)];
    }

    private static string Describe(MethodBase method) => $"{method.DeclaringType?.Name}.{method.Name}";
}

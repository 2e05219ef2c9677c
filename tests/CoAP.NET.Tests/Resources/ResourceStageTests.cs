using System.Net.Sockets;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Transports.Tcp;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Resources;

/// <summary>What the Resource stage answers without a handler, and how it calls the handler of a route.</summary>
public class ResourceStageTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);
    private readonly ResourceStage _stage = new();

    [Theory]
    [Rfc("7252-5.7.2-1", "7252-5.10.2-2")]
    [InlineData(OptionNumber.ProxyUri, "coap://other/x")]
    [InlineData(OptionNumber.ProxyScheme, "coap")]
    public void A_proxy_request_gets_5_05_before_routing(int number, string value)
    {
        _stage.MapGet("/a", () => "a");
        foreach (string path in new[] { "/a", "/nowhere" })
        {
            CoapMessage message = ResourceStage.Message(CoapMethod.Get, path);
            message.Options.Add(number, Encoding.UTF8.GetBytes(value));
            message.Options.AddUInt(OptionNumber.NoResponse, 0);
            _stage.Send(message).Gives(CoapCode.ProxyingNotSupported);
        }
    }

    [Fact]
    [Rfc("7252-5.10.1-2")]
    public void Any_Uri_Host_and_Uri_Port_is_the_default_host()
    {
        _stage.MapGet("/a", () => "a");
        CoapMessage message = ResourceStage.Message(CoapMethod.Get, "/a");
        message.Options.Add(OptionNumber.UriHost, "unknown.example"u8).AddUInt(OptionNumber.UriPort, 1);
        _stage.Send(message).Gives(CoapCode.Content);
    }

    [Theory]
    [Rfc("7252-5.5-1")]
    [InlineData(CoapMethod.Get, 0)]
    [InlineData(CoapMethod.Delete, 0)]
    [InlineData(CoapMethod.Post, 3)]
    public void The_payload_of_a_GET_or_DELETE_is_ignored(CoapMethod method, int seen)
    {
        int length = -1;
        _stage.Map("/a", [method], (CoapRequestContext request) =>
        {
            length = request.Payload.Length;
            return CoapResults.Changed();
        }).Consumes(CoapContentFormat.TextPlain);
        CoapMessage message = ResourceStage.Message(method, "/a");
        message.Options.AddUInt(OptionNumber.ContentFormat, 0);
        message.Payload = new byte[3];
        _stage.Send(message).Gives(CoapCode.Changed);
        Assert.Equal(seen, length);
    }

    [Fact]
    [Rfc("7252-5.9.1.3-1", "7252-5.5-1")]
    public void Valid_and_Continue_never_carry_a_payload()
    {
        CoapResult kept = new CoapResult(CoapCode.Valid, "x"u8.ToArray()).WithETag(CoapETag.FromVersion(1));
        _stage.MapGet("/valid", () => kept);
        _stage.MapPut("/continue", () => new CoapResult(CoapCode.Continue, "x"u8.ToArray()));
        CoapResult result = _stage.Get("/valid");
        Assert.Equal(CoapCode.Valid, result.Code);
        Assert.True(result.Payload.IsEmpty);
        Assert.True(result.Options.Contains(OptionNumber.ETag));
        Assert.False(kept.Payload.IsEmpty);
        Assert.True(_stage.Send(CoapMethod.Put, "/continue").Payload.IsEmpty);
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1503 && entry.Text.Contains("/valid", Ordinal));
    }

    [Theory]
    [Rfc("7252-5.5.4-1", "8132-3-2")]
    [InlineData(CoapMethod.Put, null, null, "2.04")]
    [InlineData(CoapMethod.Put, 50, 60, "2.04")]
    [InlineData(CoapMethod.Put, 0, null, "4.15")]
    [InlineData(CoapMethod.Put, -1, null, "4.15")]
    [InlineData(CoapMethod.Put, 50, 50, "4.06")]
    [InlineData(CoapMethod.Put, 0, 50, "4.15")]
    [InlineData(CoapMethod.Fetch, null, null, "4.00")]
    [InlineData(CoapMethod.Fetch, 50, null, "2.04")]
    [InlineData(CoapMethod.Patch, 51, null, "4.15")]
    public void Declared_formats_are_enforced_before_the_handler(CoapMethod method, int? contentFormat, int? accept, string code)
    {
        bool runs = false;
        _stage.Map("/a", [CoapMethod.Put, CoapMethod.Fetch, CoapMethod.Patch], () =>
        {
            runs = true;
            return CoapResults.Changed();
        }).Consumes(CoapContentFormat.Json).Produces(CoapContentFormat.Cbor);
        CoapMessage message = ResourceStage.Message(method, "/a");
        if (contentFormat is { } format)
        {
            message.Payload = new byte[1];
            if (format >= 0)
            {
                message.Options.AddUInt(OptionNumber.ContentFormat, (uint)format);
            }
        }

        if (accept is { } wanted)
        {
            message.Options.AddUInt(OptionNumber.Accept, (uint)wanted);
        }

        Assert.Equal(CoapCode.Parse(code), _stage.Send(message).Code);
        Assert.Equal(code == "2.04", runs);
    }

    [Theory]
    [Rfc("7252-5.5.4-1")]
    [InlineData(0, null, "2.05")]
    [InlineData(0, 0, "2.05")]
    [InlineData(0, 60, "4.06")]
    [InlineData(null, 60, "2.05")]
    public async Task An_answer_in_another_format_than_Accept_gives_4_06(int? given, int? accept, string code)
    {
        _stage.MapGet("/now",
            () => new CoapResult(CoapCode.Content, "x"u8.ToArray(), given is { } number ? new CoapContentFormat((ushort)number) : null));
        _stage.MapGet("/later", async () =>
        {
            await Task.Yield();
            return new CoapResult(CoapCode.Content, "x"u8.ToArray(), given is { } number ? new CoapContentFormat((ushort)number) : null);
        });
        foreach (string path in (string[])["/now", "/later"])
        {
            Assert.Equal(CoapCode.Parse(code), (await _stage.SendAsync(Accepting(path, accept)).WaitAsync(s_hang)).Code);
        }
    }

    [Fact]
    [Rfc("7252-5.5.4-1")]
    public void Accept_does_not_affect_errors_and_2_03()
    {
        _stage.MapGet("/valid", () => CoapResults.Valid(CoapETag.FromVersion(1)));
        _stage.MapGet("/error", () => new CoapResult(CoapCode.NotFound, "x"u8.ToArray(), CoapContentFormat.TextPlain));
        _stage.Send(Accepting("/valid", 60)).Gives(CoapCode.Valid);
        _stage.Send(Accepting("/error", 60)).Gives(CoapCode.NotFound);
    }

    [Theory]
    [Rfc("7252-5.9.1.3-1", "7252-5.10.6-1")]
    [InlineData(CoapMethod.Get, "0102", "2.03")]
    [InlineData(CoapMethod.Fetch, "0102", "2.03")]
    [InlineData(CoapMethod.Get, "0103", "2.05")]
    [InlineData(CoapMethod.Put, "0102", "2.04")]
    public void An_answer_whose_ETag_is_in_the_request_becomes_2_03(CoapMethod method, string etag, string code)
    {
        CoapResult kept = ((CoapResult)"x").WithETag(new CoapETag([1, 2])).WithMaxAge(FromSeconds(7));
        _stage.Map("/a", [method], () => kept);
        CoapMessage message = WithFormat(method, "/a");
        message.Options.Add(OptionNumber.ETag, Wire.Hex("ff")).Add(OptionNumber.ETag, Wire.Hex(etag));
        CoapResult result = _stage.Send(message);
        Assert.Equal(CoapCode.Parse(code), result.Code);
        Assert.Equal(code == "2.03", result.Payload.IsEmpty);
        Assert.Equal(code != "2.03", result.Options.Contains(OptionNumber.ContentFormat));
        Assert.True(result.Options.Contains(OptionNumber.ETag) && result.Options.Contains(OptionNumber.MaxAge));
    }

    [Fact]
    public void A_route_with_AllowAnyAccept_sends_its_answer_whatever_Accept_says()
    {
        CoapRouteGroup group = _stage.MapGroup("/old").AllowAnyAccept();
        group.MapGet("/a", () => "a");
        group.MapGet("/b", () => "b").Produces(CoapContentFormat.TextPlain);
        group.MapGet("/c", () => "c").AllowAnyAccept(false);
        _stage.Send(Accepting("/old/a", 60)).Gives(CoapCode.Content);
        _stage.Send(Accepting("/old/b", 60)).Gives(CoapCode.Content);
        _stage.Send(Accepting("/old/c", 60)).Gives(CoapCode.NotAcceptable);
    }

    [Fact]
    public void A_route_can_cancel_the_requirements_of_its_group()
    {
        CoapRouteGroup group = _stage.MapGroup("/strict").Produces(CoapContentFormat.Json).Consumes(CoapContentFormat.Json)
            .RequireFreshness(FromSeconds(5)).RequireScheme("coap+tcp").Observable();
        group.MapPost("/a", () => "a");
        group.MapPost("/b", () => "b").ProducesAny().ConsumesAny().AllowAnyScheme().AllowAnyAge().NotObservable();
        _stage.Send(PostAcceptingText("/strict/b")).Gives(CoapCode.Changed);

        _stage.Send(PostAcceptingText("/strict/a")).Gives(CoapCode.NotFound);
        group.AllowAnyScheme();
        _stage.Send(PostAcceptingText("/strict/a")).Gives(CoapCode.Unauthorized);
        group.AllowAnyAge();
        _stage.Send(PostAcceptingText("/strict/a")).Gives(CoapCode.UnsupportedContentFormat);
        group.ConsumesAny();
        _stage.Send(PostAcceptingText("/strict/a")).Gives(CoapCode.NotAcceptable);
        group.ProducesAny();
        _stage.Send(PostAcceptingText("/strict/a")).Gives(CoapCode.Changed);

        static CoapMessage PostAcceptingText(string path)
        {
            CoapMessage message = ResourceStage.Message(CoapMethod.Post, path);
            message.Options.AddUInt(OptionNumber.Accept, CoapContentFormat.TextPlain.Value);
            message.Payload = new byte[1];
            return message;
        }
    }

    [Theory]
    [Rfc("7252-5.8.1-1", "7252-5.8.2-1", "7252-5.8.3-1", "7252-5.8.4-1")]
    [InlineData(CoapMethod.Get, "2.05")]
    [InlineData(CoapMethod.Fetch, "2.05")]
    [InlineData(CoapMethod.Post, "2.04")]
    [InlineData(CoapMethod.Put, "2.04")]
    [InlineData(CoapMethod.Delete, "2.02")]
    [InlineData(CoapMethod.Patch, "2.04")]
    [InlineData(CoapMethod.IPatch, "2.04")]
    public async Task A_result_without_a_code_gets_the_success_code_of_its_method(CoapMethod method, string code)
    {
        CoapResult kept = "kept";
        string seen = string.Empty;
        _stage.Map("/text", [method], () => "x");
        _stage.Map("/request", [method], (CoapRequestContext request) => "x");
        _stage.Map("/named", [method], Named);
        _stage.Map("/bytes", [method], (CoapRequestContext request) => new byte[1]);
        _stage.Map("/content", [method], (CoapRequestContext request) => CoapContent.Text("x"));
        _stage.Map("/kept", [method], () => kept);
        _stage.Map("/filtered", [method], async (CoapRequestContext request, CancellationToken _) =>
        {
            await Task.Yield();
            return "x";
        }).AddFilter(async (request, next, token) =>
        {
            CoapResult result = await next(request, token);
            seen = result.Code.ToString()[..4];
            return result;
        });
        _stage.Map("/explicit", [method], () => CoapResults.Text("x"));
        foreach (string path in (string[])["/text", "/request", "/named", "/bytes", "/content", "/kept", "/filtered"])
        {
            CoapResult result = await _stage.SendAsync(WithFormat(method, path)).WaitAsync(s_hang);
            Assert.Equal((path, CoapCode.Parse(code), false), (path, result.Code, result.Payload.IsEmpty));
            Assert.True(result.OptionsToRead!.Contains(OptionNumber.ContentFormat));
        }

        Assert.Equal(code, seen);
        Assert.Equal(CoapCode.Content, kept.Code);
        _stage.Send(WithFormat(method, "/explicit")).Gives(CoapCode.Content);

        static string Named() => "x";
    }

    [Fact]
    public void A_4_06_is_logged_with_its_path()
    {
        _stage.MapGet("/a", () => "a");
        _stage.Send(Accepting("/a", 60));
        Assert.Contains(_stage.Logger.Entries, entry => entry.Id == 1507 && entry.Text.Contains("/a", Ordinal));
    }

    [Fact]
    [Rfc("8132-2.3.1-1")]
    public void A_FETCH_request_without_Content_Format_gets_4_00()
    {
        _stage.MapFetch("/a", () => "a");
        CoapMessage message = ResourceStage.Message(CoapMethod.Fetch, "/a");
        _stage.Send(message).Gives(CoapCode.BadRequest);
        message.Options.AddUInt(OptionNumber.ContentFormat, 60);
        _stage.Send(message).Gives(CoapCode.Content);
    }

    [Fact]
    public async Task A_failing_handler_is_answered_5_00_without_details_and_logged()
    {
        _stage.MapGet("/sync", _ => throw new InvalidOperationException("secret"));
        _stage.MapGet("/async", async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException("secret");
        });
        _stage.MapGet("/failed", () => Task.FromException<CoapResult>(new InvalidOperationException("secret")));
        _stage.MapGet("/cancelled", () => ValueTask.FromCanceled<CoapResult>(new CancellationToken(true)));
        _stage.MapGet("/null", _ => null!);
        _stage.MapGet("/nulltask", () => (Task<CoapResult>)null!);
        string[] paths = ["/sync", "/async", "/failed", "/cancelled", "/null", "/nulltask"];
        foreach (string path in paths)
        {
            CoapResult result = await _stage.SendAsync(CoapMethod.Get, path).WaitAsync(s_hang);
            Assert.Equal(CoapCode.InternalServerError, result.Code);
            Assert.True(result.Payload.IsEmpty);
            Assert.Contains(_stage.Logger.Entries,
                entry => entry.Level == LogLevel.Error && entry.Text.Contains(path, Ordinal));
        }

        Assert.Equal(paths.Length, _stage.Counters[CoapCounter.HandlerErrors]);
        Assert.Equal(0, _stage.Counters[CoapCounter.StageErrors]);
        await _stage.Served.WhenIdleAsync().WaitAsync(s_hang);
    }

    public static TheoryData<Exception> NoDescriptors =>
    [
        new IOException("Too many open files", OperatingSystem.IsWindows() ? unchecked((int)0x80070004) : 24),
        new HttpRequestException("no", new SocketException((int)SocketError.TooManyOpenSockets)),
    ];

    [Theory]
    [MemberData(nameof(NoDescriptors), DisableDiscoveryEnumeration = true)]
    public void A_handler_that_finds_no_descriptor_is_answered_5_03_and_the_log_names_the_limit(Exception failure)
    {
        _stage.MapGet("/a", _ => throw failure);

        CoapResult result = _stage.Get("/a");

        Assert.Equal((CoapCode.ServiceUnavailable, true), (result.Code, result.Options.MaxAge > TimeSpan.Zero));
        _stage.Get("/a").Gives(CoapCode.ServiceUnavailable);
        Assert.Contains($"this process may have {FileDescriptorHeadroom.Limit}", Assert.Single(_stage.Logger.Entries).Text);
    }

    [Fact]
    public void An_answer_is_sent_although_the_logger_throws()
    {
        _stage.Logger.Throws = true;
        _stage.MapGet("/a", _ => throw new InvalidOperationException());
        _stage.Get("/a").Gives(CoapCode.InternalServerError);
        Assert.Equal(1, _stage.Counters[CoapCounter.StageErrors]);
        Assert.Equal(0, _stage.Served.Count);
    }

    [Fact]
    public async Task A_handler_that_the_stop_of_the_endpoint_cancels_is_answered_5_03()
    {
        _stage.MapGet("/waits", async (request, ct) =>
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, ct);
            return "never";
        });
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/waits");
        Assert.False(answer.IsCompleted);
        Task idle = _stage.Served.WhenIdleAsync();
        _stage.Served.Stop();
        Assert.False(idle.IsCompleted);
        _stage.Served.Abort();
        _stage.Get("/waits").Gives(CoapCode.ServiceUnavailable);
        CoapResult result = await answer.WaitAsync(s_hang);
        Assert.Equal(CoapCode.ServiceUnavailable, result.Code);
        Assert.True(result.Options.TryGetUInt(OptionNumber.MaxAge, out uint maxAge));
        Assert.Equal((uint)_stage.Limits.Requests.BusyMaxAge, maxAge);
        await idle.WaitAsync(s_hang);
        await _stage.Served.WhenIdleAsync().WaitAsync(s_hang);
        Assert.Equal(0, _stage.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task A_request_beyond_MaxServed_gets_5_03_and_its_handler_does_not_run()
    {
        ResourceStage stage = new(limits: new CoapLimits { Requests = { MaxServed = 2, BusyMaxAge = 9 } });
        TaskCompletionSource<CoapResult> source = new();
        int calls = 0;
        stage.MapGet("/a", () =>
        {
            calls++;
            return source.Task;
        });
        Task<CoapResult> first = stage.SendAsync(CoapMethod.Get, "/a");
        Task<CoapResult> second = stage.SendAsync(CoapMethod.Get, "/a");
        CoapResult busy = stage.Get("/a");
        Assert.Equal(CoapCode.ServiceUnavailable, busy.Code);
        Assert.True(busy.Options.TryGetUInt(OptionNumber.MaxAge, out uint maxAge));
        Assert.Equal(9u, maxAge);
        Assert.Equal(2, calls);
        Assert.Equal(1, stage.Counters[CoapCounter.Busy]);
        stage.Get("/other").Gives(CoapCode.NotFound);
        source.SetResult("done");
        Assert.Equal(CoapCode.Content, (await first.WaitAsync(s_hang)).Code);
        Assert.Equal(CoapCode.Content, (await second.WaitAsync(s_hang)).Code);
        await stage.Served.WhenIdleAsync().WaitAsync(s_hang);
        stage.Get("/a").Gives(CoapCode.Content);
    }

    [Fact]
    public async Task An_answer_after_the_5_03_of_a_stop_is_dropped_and_counted()
    {
        TaskCompletionSource<CoapResult> source = new();
        _stage.MapGet("/a", () => source.Task);
        Task<CoapResult> refused = _stage.SendAsync(CoapMethod.Get, "/a");
        CoapExchange answered = _stage.Exchange(ResourceStage.Message(CoapMethod.Get, "/a"));
        _stage.Block.Post(answered);
        Assert.True(answered.TryClaimReply());
        _stage.Block.RefuseUnanswered();
        Assert.Equal(CoapCode.ServiceUnavailable, (await refused.WaitAsync(s_hang)).Code);
        source.SetResult("late");
        await _stage.Served.WhenIdleAsync().WaitAsync(s_hang);
        Assert.Equal(2, _stage.Counters[CoapCounter.LateResponses]);
        Assert.Equal(1, _stage.Replies.Count);
    }

    [Fact]
    public void A_request_that_arrives_during_RefuseUnanswered_gets_5_03()
    {
        _stage.MapGet("/never", () => new TaskCompletionSource<CoapResult>().Task);
        _stage.Block.RefuseUnanswered();
        _stage.Get("/never").Gives(CoapCode.ServiceUnavailable);
    }

    [Fact]
    public async Task A_handler_that_never_completes_does_not_delay_other_requests()
    {
        TaskCompletionSource<CoapResult> never = new();
        _stage.MapGet("/never", () => never.Task);
        _stage.MapGet("/a", () => "a");
        Task<CoapResult> answer = _stage.SendAsync(CoapMethod.Get, "/never");
        for (int i = 0; i < 100; i++)
        {
            _stage.Get("/a").Gives(CoapCode.Content);
        }

        Assert.False(answer.IsCompleted);
        _stage.Block.Complete();
        await _stage.Block.Completion.WaitAsync(s_hang);
        Assert.Equal(1, _stage.Served.Count);
    }

    [Fact]
    public void Thread_state_that_a_handler_sets_is_reset_before_the_next_handler()
    {
        AsyncLocal<string?> local = new();
        SynchronizationContext? context = SynchronizationContext.Current;
        _stage.MapGet("/sets", () =>
        {
            local.Value = "left behind";
            SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
            ExecutionContext.SuppressFlow();
            return CoapResults.Changed();
        });
        string? seen = "nothing";
        _stage.MapGet("/reads", () =>
        {
            seen = local.Value;
            return CoapResults.Changed();
        });
        _stage.Get("/sets");
        Assert.Null(local.Value);
        Assert.Same(context, SynchronizationContext.Current);
        Assert.False(ExecutionContext.IsFlowSuppressed());
        _stage.Get("/reads");
        Assert.Null(seen);
    }

    [Fact]
    public void A_handler_gets_the_cancellation_token_of_the_endpoint()
    {
        CancellationToken seen = default;
        _stage.MapGet("/a", (CoapRequestContext request, CancellationToken ct) =>
        {
            seen = ct;
            return request.Aborted == ct ? CoapResults.Changed() : CoapResults.BadRequest();
        });
        _stage.Get("/a").Gives(CoapCode.Changed);
        Assert.Equal(_stage.Served.Aborted, seen);
    }

    [Fact]
    public void User_code_runs_inside_Enter_and_Exit_of_the_receive_role()
    {
        Role role = new();
        UserCodeScope.Role = role;
        try
        {
            _stage.MapGet("/a", () => role.Depth == 1 ? CoapResults.Changed() : CoapResults.BadRequest());
            _stage.MapGet("/b", _ => throw new InvalidOperationException());
            _stage.Get("/a").Gives(CoapCode.Changed);
            _stage.Get("/b").Gives(CoapCode.InternalServerError);
            Assert.Equal((0, 2), (role.Depth, role.Entries));
        }
        finally
        {
            UserCodeScope.Role = null;
        }
    }

    private sealed class Role : IUserCodeTracker
    {
        public int Depth { get; private set; }

        public int Entries { get; private set; }

        public void EnterUserCode()
        {
            Entries++;
            Depth++;
        }

        public bool ExitUserCode()
        {
            Depth--;
            return true;
        }
    }

    private static CoapMessage WithFormat(CoapMethod method, string path)
    {
        CoapMessage message = ResourceStage.Message(method, path);
        message.Options.AddUInt(OptionNumber.ContentFormat, 0);
        return message;
    }

    private static CoapMessage Accepting(string path, int? accept)
    {
        CoapMessage message = ResourceStage.Message(CoapMethod.Get, path);
        if (accept is { } format)
        {
            message.Options.AddUInt(OptionNumber.Accept, (uint)format);
        }

        return message;
    }
}

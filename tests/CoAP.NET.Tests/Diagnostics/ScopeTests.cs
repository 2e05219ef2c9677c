using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Diagnostics;

public sealed class ScopeTests : EndpointTest
{
    private readonly ScopeLogger _scopes = new();

    public ScopeTests() => Options.LoggerFactory = _scopes;

    [Fact]
    public async Task A_handler_logs_within_a_scope_of_peer_token_and_Message_ID()
    {
        Server.MapGet("/", async (_, _) =>
        {
            _scopes.LogInformation("before");
            await Task.Yield();
            _scopes.LogInformation("after");
            return CoapResults.Text("x");
        });
        await StartAsync();
        TaskCompletionSource<bool> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => sent.TrySetResult(true);
        Transport.Receive(Peer, "420112344a11");
        await Within(sent.Task);
        string[] lines = [.. _scopes.Lines.Where(static line => line.StartsWith("before", Ordinal)
            || line.StartsWith("after", Ordinal))];
        Assert.Equal(["before|Peer=coap://192.0.2.1:40000 Token=4a11 MessageId=4660",
            "after|Peer=coap://192.0.2.1:40000 Token=4a11 MessageId=4660"], lines);
        _scopes.LogInformation("outside");
        Assert.Contains("outside|", _scopes.Lines);
    }

    [Fact]
    public async Task The_log_entry_of_a_failed_handler_has_the_scope_of_its_request()
    {
        Server.MapGet("/", CoapResult () => throw new InvalidOperationException("broken"));
        await StartAsync();
        Exchange("40010007").Begins("60a0");
        Assert.Contains(_scopes.Lines,
            static line => line.StartsWith("The handler of", Ordinal)
                && line.EndsWith("Peer=coap://192.0.2.1:40000 Token= MessageId=7", Ordinal));
    }

    [Fact]
    public async Task The_log_entry_of_a_pipeline_stage_has_the_scope_of_its_message()
    {
        await StartAsync();
        Transport.Receive(Peer, "40010009f0");
        Assert.Contains(_scopes.Lines,
            static line => line.Contains("not a "
                + "message", Ordinal) && line.EndsWith("MessageId=9", Ordinal));
    }

    [Fact]
    public async Task The_log_entry_of_a_refused_block_has_the_scope_of_its_request()
    {
        Server.MapPut("/x", static () => CoapResults.Changed());
        await StartAsync();

        // The second block without the first one.
        Exchange("4003000bb178d10318ff000102030405060708090a0b0c0d0e0f").Begins("6088");
        Assert.Contains(_scopes.Lines,
            static line => line.Contains("Block1", Ordinal) && line.Contains("4.08", Ordinal)
                && line.EndsWith("MessageId=11", Ordinal));
    }

    [Fact]
    public async Task A_logger_without_scopes_is_not_asked_for_each_request()
    {
        _scopes.HasScopes = false;
        Server.MapGet("/", () => "x");
        await StartAsync();
        Exchange("40010001");
        Exchange("40010002");
        Assert.Equal(1, _scopes.Asked);
    }

    private sealed class ScopeLogger : ILoggerFactory, ILogger
    {
        private readonly LoggerExternalScopeProvider _scopes = new();
        private readonly List<string> _lines = [];

        public bool HasScopes { get; set; } = true;

        public int Asked { get; private set; }

        public string[] Lines
        {
            get
            {
                lock (_lines)
                {
                    return [.. _lines];
                }
            }
        }

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull
        {
            Asked++;
            return HasScopes ? _scopes.Push(state) : null;
        }

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            List<string> parts = [];
            _scopes.ForEachScope(
                static (scope, parts) =>
                {
                    if (scope is IReadOnlyList<KeyValuePair<string, object?>> values)
                    {
                        parts.AddRange(values.Select(static value => $"{value.Key}={value.Value}"));
                    }
                },
                parts);
            lock (_lines)
            {
                _lines.Add($"{formatter(state, exception)}|{string.Join(' ', parts)}");
            }
        }

        public void Dispose()
        {
        }
    }
}

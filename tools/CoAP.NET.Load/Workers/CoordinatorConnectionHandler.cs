using System.Globalization;
using System.Threading.Channels;
using CoAP.NET.Load.CommandLine;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Workers;

/// <summary>One conversation of a worker with a coordinator: at most one run.</summary>
internal sealed class CoordinatorConnectionHandler(
    Worker worker, string who, WorkerConnection connection, LoadRunDelegate run, WorkerOptions options)
{
    // Whether the coordinator ended the run, and why the conversation ended.
    private volatile bool _asked;
    private volatile DistributedRunException? _gone;

    /// <summary>Runs the conversation; never throws.</summary>
    public async Task RunAsync(CancellationToken stopping)
    {
        try
        {
            if (await IsWelcomeAsync(stopping))
            {
                await ServeAsync(stopping);
            }
        }
        catch (DistributedRunException exception)
        {
            Say($"{who}: {exception.Message}.");
            await connection.RefuseAsync(exception.Kind, exception.Message);
        }
        catch (OperationCanceledException)
        {
            await connection.RefuseAsync(WorkerProtocolErrorCodes.Stopped, "the worker is stopping");
        }
    }

    private async Task<bool> IsWelcomeAsync(CancellationToken stopping)
    {
        switch (await connection.ReadAsync(WorkerConnection.LineLimit, options.HelloLimit, stopping))
        {
            case null:
                return false;
            case HelloMessage { Version: not WorkerConnection.Version } hello:
                throw new DistributedRunException(WorkerProtocolErrorCodes.Version,
                    $"this worker has version {WorkerConnection.Version} of the protocol, the coordinator version {hello.Version}; use "
                        + "the same program on all machines");
            case HelloMessage hello when !worker.Knows(hello.Key):
                throw new DistributedRunException(WorkerProtocolErrorCodes.Key,
                    hello.Key is null
                        ? $"this worker requires a word ({WorkerCommand.KeyName})"
                        : $"the word ({WorkerCommand.KeyName}) is not this worker's");
            case HelloMessage:
                return worker.Take(who) is not { } other
                    ? true
                    : throw new DistributedRunException(
                        WorkerProtocolErrorCodes.Busy, $"busy with a run for {other}; a worker does one at a time");
            case { } message:
                throw new DistributedRunException(
                    WorkerProtocolErrorCodes.Protocol, $"a {WorkerConnection.NameOf(message)} came instead of hello");
        }
    }

    private async Task ServeAsync(CancellationToken stopping)
    {
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(stopping);
        using CancellationTokenSource ended = new();
        WorkerMessage answer;
        Task listening;
        try
        {
            Say($"{who} is the coordinator.");
            await connection.SendAsync(new WelcomeMessage(WorkerConnection.Version, Environment.MachineName), stopping);
            LoadPlan? plan = await ReadPlanAsync(stopping);
            if (plan is null)
            {
                Say($"{who} left without a plan.");
                return;
            }

            Say($"Plan: {Describe(plan)}");
            WorkerStartGate gate = new(connection, plan, options);
            listening = ListenAsync(gate, stop, ended.Token);
            answer = await DoAsync(plan, gate, stop, stopping);
        }
        finally
        {
            // Before it sends the answer: the coordinator may request the next run immediately.
            worker.Release();
        }

        try
        {
            await AnswerAsync(answer);

            // Reads the pending input first, see EndAsync.
            connection.Finish();
            await listening.WaitAsync(WorkerConnection.EndLimit, options.Time, CancellationToken.None)
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        finally
        {
            await ended.CancelAsync();
            await listening;
        }
    }

    private async Task<LoadPlan?> ReadPlanAsync(CancellationToken stopping) =>
        await connection.ReadAsync(WorkerConnection.LineLimit, options.PlanLimit, stopping) switch
        {
            null => null,
            PlanMessage message => message.Plan,
            { } other => throw new DistributedRunException(
                WorkerProtocolErrorCodes.Protocol, $"a {WorkerConnection.NameOf(other)} came instead of a plan"),
        };

    // Runs the plan, and returns the message about its end.
    private async Task<WorkerMessage> DoAsync(LoadPlan plan, WorkerStartGate gate, CancellationTokenSource stop, CancellationToken stopping)
    {
        ProgressSender ticks = new(connection);
        Task pumping = PumpAsync(ticks, stop);
        try
        {
            LoadResult result = await run(plan, ticks, gate, stop.Token);
            return stopping.IsCancellationRequested && !_asked ? Stopped() : new ResultMessage(result);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            return _asked ? new ErrorMessage(WorkerProtocolErrorCodes.Cancelled, "cancelled before it measured anything") : Stopped();
        }
        catch (DistributedRunException exception)
        {
            // From the gate.
            return new ErrorMessage(exception.Kind, exception.Message);
        }
#pragma warning disable CA1031 // After any failure of a run, the worker serves the next one, and the coordinator gets the reason.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            return new ErrorMessage(WorkerProtocolErrorCodes.Failed,
                DistributedRunException.Clean($"the run failed: {exception.Message}"));
        }
        finally
        {
            ticks.Complete();
            await pumping;
        }
    }

    private static ErrorMessage Stopped() => new(WorkerProtocolErrorCodes.Stopped, "the worker is stopping");

    private async Task PumpAsync(ProgressSender ticks, CancellationTokenSource stop)
    {
        try
        {
            await ticks.PumpAsync();
        }
        catch (DistributedRunException exception)
        {
            _gone ??= exception;
            await stop.CancelAsync();
        }
    }

    // Start and cancel arrive during the run, and so does the loss of the coordinator.
    private async Task ListenAsync(WorkerStartGate gate, CancellationTokenSource stop, CancellationToken ended)
    {
        try
        {
            while (true)
            {
                switch (await connection.ReadAsync(WorkerConnection.LineLimit, Timeout.InfiniteTimeSpan, ended))
                {
                    case StartMessage:
                        gate.Start();
                        break;
                    case CancelMessage:
                        Say("Cancelled by the coordinator.");
                        _asked = true;
                        await stop.CancelAsync();
                        break;
                    case null:
                        throw new DistributedRunException(WorkerProtocolErrorCodes.Lost, "the connection ended");
                    case { } other:
                        throw new DistributedRunException(
                            WorkerProtocolErrorCodes.Protocol, $"a {WorkerConnection.NameOf(other)} came out of turn");
                }
            }
        }
        catch (DistributedRunException exception)
        {
            _gone ??= exception;
            await stop.CancelAsync();
        }
        catch (OperationCanceledException)
        {
            // The worker has sent its answer.
        }
    }

    private async Task AnswerAsync(WorkerMessage answer)
    {
        if (_gone is { Kind: not WorkerProtocolErrorCodes.Protocol })
        {
            Say($"{who} disconnected ({_gone.Message}); the run ended and its result is lost.");
            return;
        }

        if (_gone is not null)
        {
            Say($"{who}: {_gone.Message}; the run ended.");
            await connection.RefuseAsync(_gone.Kind, _gone.Message);
            return;
        }

        try
        {
            await connection.SendAsync(answer, CancellationToken.None);
            Say(answer is ErrorMessage error ? $"Not done: {error.Text}." : $"Result sent: {Describe(((ResultMessage)answer).Result)}");
        }
        catch (DistributedRunException exception)
            when (exception.Kind == WorkerProtocolErrorCodes.Protocol && answer is ResultMessage { Result.Series.Count: > 0 } result)
        {
            // A run of days, second by second. The totals matter more than the series.
            await connection.SendAsync(new ResultMessage(result.Result with { Series = [] }), CancellationToken.None);
            Say($"Result sent without its seconds, with which it would be too long: {Describe(result.Result)}");
        }
        catch (ArgumentException exception)
        {
            // NaN is not valid JSON.
            await connection.RefuseAsync(WorkerProtocolErrorCodes.Failed, "the run's result cannot be written: " + exception.Message);
        }
    }

    private static string Describe(LoadPlan plan) => DistributedRunException.Clean(string.Create(
        CultureInfo.InvariantCulture,
        $"{plan.Method} {plan.Uri}, {plan.Loop.ToString().ToLowerInvariant()} loop, {plan.Peers:N0} peers from "
            + $"number {plan.FirstPeer:N0}{(plan.Rate > 0 ? $", {plan.Rate:N0} a second" : string.Empty)}, {plan.WarmUpSeconds:0.#} s of "
            + $"warm-up and {plan.Seconds:0.#} s measured."), 500);

    private static string Describe(LoadResult result) => string.Create(
        CultureInfo.InvariantCulture,
        $"{result.Count:N0} in {result.Seconds:0.#} s, {result.Lost:N0} lost, {result.ErrorCount:N0} errors.");

    private void Say(string line) => options.Say?.Invoke(line);
}

/// <summary>Sends ticks without delaying the run that reports them: it drops ticks if the coordinator does not read.</summary>
internal sealed class ProgressSender(WorkerConnection connection) : IProgress<LoadProgress>
{
    private readonly Channel<LoadProgress> _ticks =
        Channel.CreateBounded<LoadProgress>(
            new BoundedChannelOptions(8) { FullMode = BoundedChannelFullMode.DropOldest, SingleReader = true });

    /// <inheritdoc/>
    public void Report(LoadProgress value) => _ticks.Writer.TryWrite(WorkerFigureValidator.Clean(value));

    /// <summary>Sends until <see cref="Complete"/>.</summary>
    /// <exception cref="DistributedRunException">The coordinator no longer reads.</exception>
    public async Task PumpAsync()
    {
        await foreach (LoadProgress tick in _ticks.Reader.ReadAllAsync())
        {
            await connection.SendAsync(new ProgressMessage(tick), CancellationToken.None);
        }
    }

    /// <summary>Stops accepting ticks.</summary>
    public void Complete() => _ticks.Writer.TryComplete();
}

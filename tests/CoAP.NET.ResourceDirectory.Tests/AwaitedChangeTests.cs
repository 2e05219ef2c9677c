using System.Collections.Concurrent;
using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>A change that another node decides about is answered when this one knows it.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class AwaitedChangeTests
{
    private readonly VirtualClock _clock = new();
    private readonly DirectoryServerState _core;
    private readonly LateRules _late;

    public AwaitedChangeTests()
    {
        _core = new DirectoryServerState(new CoapDirectoryOptions { TimeProvider = _clock });
        _late = new LateRules(_core.Rules);
        _core.Table = CoapReplicatedTable.InMemory(_late, timeProvider: _clock);
    }

    [Fact]
    public async Task Registrations_updates_and_removals_are_answered_when_lookups_show_them()
    {
        Task<DirectoryDecision> asked = AskAsync(DirectorySlotOwnerRequest.Operation.Register);
        Assert.False(asked.IsCompleted);
        Assert.Null(Found());
        _late.Report();
        Assert.Equal(DirectoryDecision.Done, await asked);
        Assert.NotNull(Found());

        _clock.Advance(FromSeconds(1));
        long before = Found()!.Value.ChangedAt;
        asked = AskAsync(DirectorySlotOwnerRequest.Operation.Update);
        Assert.False(asked.IsCompleted);
        _late.Report();
        Assert.Equal(DirectoryDecision.Done, await asked);
        Assert.True(Found()!.Value.ChangedAt > before);

        _clock.Advance(FromSeconds(1));
        asked = AskAsync(DirectorySlotOwnerRequest.Operation.Remove);
        Assert.False(asked.IsCompleted);
        Assert.NotNull(Found());
        _late.Report();
        Assert.Equal(DirectoryDecision.Done, await asked);
        Assert.Null(Found());
        Assert.Equal(0, _core.Awaited.Count);
    }

    [Fact]
    public async Task The_response_waits_for_at_most_two_seconds_when_the_change_notice_does_not_arrive()
    {
        Task<DirectoryDecision> one = AskAsync(DirectorySlotOwnerRequest.Operation.Register);
        Task<DirectoryDecision> other = AskAsync(DirectorySlotOwnerRequest.Operation.Register);
        TimeSpan began = _clock.Elapsed;

        await _clock.AdvanceUntilAsync(Task.WhenAll(one, other), FromMinutes(1));

        Assert.Equal((DirectoryDecision.Done, DirectoryDecision.Done), (await one, await other));
        Assert.Equal(FromSeconds(2), _clock.Elapsed - began);
        Assert.Equal(0, _core.Awaited.Count);
    }

    [Fact]
    public async Task A_cancelled_wait_for_a_change_leaves_no_state()
    {
        using CancellationTokenSource stop = new();
        Task<DirectoryDecision> asked = AskAsync(DirectorySlotOwnerRequest.Operation.Register, stop.Token);
        Assert.Equal(1, _core.Awaited.Count);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asked);
        Assert.Equal(0, _core.Awaited.Count);
    }

    [Fact]
    public async Task A_refused_operation_is_answered_at_once()
    {
        Assert.Equal(DirectoryDecision.Missing, await AskAsync(DirectorySlotOwnerRequest.Operation.Update));
        Assert.Equal(DirectoryDecision.Missing, await AskAsync(DirectorySlotOwnerRequest.Operation.Remove));
        Assert.Equal(0, _core.Awaited.Count);
    }

    private Registration? Found() => _core.Index.Find(_core.KeyOf(default, "a"u8).Bytes);

    private async Task<DirectoryDecision> AskAsync(DirectorySlotOwnerRequest.Operation what, CancellationToken cancellationToken = default)
    {
        RegistrantIdentity registrant = new(new DirectoryOwner(1, 2, 3), true, [], 0);
        byte[] content = what switch
        {
            DirectorySlotOwnerRequest.Operation.Register =>
                Registration.Make(new RegistrationRefreshHeader(registrant.Owner, 0), new RegistrationFields
                {
                    Lifetime = 90_000, Endpoint = "a"u8, Base = "coap://a"u8,
                }).Bytes.ToArray(),
            DirectorySlotOwnerRequest.Operation.Update => new RegistrationUpdate { Base = "coap://b"u8, HasOwnBase = true }.ToArray(),
            _ => [],
        };
        return (await _core.AskAsync(_core.KeyOf(default, "a"u8), what, registrant, null, content, cancellationToken)).Answer;
    }

    /// <summary>Decides as the rules do, and tells them later what has changed: what comes from another node.</summary>
    private sealed class LateRules(ICoapReplicatedTableRules rules) : ICoapReplicatedTableRules
    {
        private readonly ConcurrentQueue<CoapTableChange> _changes = new();

        public CoapTableDecision Decide(CoapTableDecisionContext question) => rules.Decide(question);

        public void OnChanged(CoapTableChange change) => _changes.Enqueue(change);

        public void Report()
        {
            while (_changes.TryDequeue(out CoapTableChange change))
            {
                rules.OnChanged(change);
            }
        }
    }
}

using CoAP.NET.Diagnostics;
using CoAP.NET.Observing.Client;
using CoAP.NET.Observing.Server;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Messaging;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Observing;

/// <summary>
/// The states of observing are those of docs/life-of-an-observation.md, whose tables COAP_WRITE_DOCS=1 writes; and what a subject and a
/// peer count follows the states of their observers.
/// </summary>
public sealed class ObservingStatesTests : ServerObserveTest
{
    [Fact]
    public void The_page_has_the_states_of_an_observer_and_what_leads_to_each() =>
        CheckPage<ObserverState>(Observer.MayFollow);

    [Fact]
    public void The_page_has_the_states_of_an_observed_subject_and_what_leads_to_each() =>
        CheckPage<SubjectState>(ObservedSubject.MayFollow);

    [Fact]
    public void The_page_has_the_phases_of_a_registration_and_what_leads_to_each() =>
        CheckPage<RegistrationPhase>(ObserveClientRegistration.MayFollow);

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Seeds))]
    public async Task The_counts_of_a_subject_and_of_a_peer_match_the_states_of_their_observers_after_random_events(int seed)
    {
        VirtualRandom random = new((ulong)seed);
        CoapRouteHandlerBuilder[] routes = [MapState(), MapState("/non", confirmable: false)];
        await StartAsync();
        List<(CoapAddress Peer, CoapMessage Message)> received = [];
        HashSet<ObserverState> seen = [];
        for (int step = 0; step < 2_000; step++)
        {
            CoapAddress peer = PeerNumber(Next(4));
            switch (Next(10))
            {
                case 0 or 1:
                    Ask(peer, Next(2) == 0 ? "/obs" : "/non", token: Next(2) == 0 ? "4a" : "4b",
                        type: Next(2) == 0 ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable);
                    break;
                case 2:
                    Ask(peer, "/obs", observe: 1, token: Next(2) == 0 ? "4a" : "4b");
                    break;
                case 3 or 4:
                    // Before the tick in which the handler runs.
                    State = $"{step}";
                    routes[Next(2)].Notify();
                    break;
                case 5:
                    Pass(Next(2) == 0 ? 0.2 : 4);
                    break;
                default:
                    Settle();
                    break;
            }

            CheckCounts(seen);
            received.AddRange(TakeNew().Where(static sent => sent.Message.Type <= CoapMessageType.NonConfirmable));
            if (received.Count > 0 && Next(3) == 0)
            {
                (CoapAddress from, CoapMessage message) = received[^1];
                received.Clear();
                if (Next(20) == 0)
                {
                    Reset(from, message);
                }
                else
                {
                    Acknowledge(from, message);
                }

                CheckCounts(seen);
            }
        }

        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
        Assert.Superset(new HashSet<ObserverState> { ObserverState.Idle, ObserverState.AwaitsTurn, ObserverState.Outstanding }, seen);

        int Next(int count)
        {
            Span<byte> value = stackalloc byte[1];
            random.Fill(value);
            return value[0] % count;
        }
    }

    public static TheoryData<int> Seeds() => [.. Enumerable.Range(Campaign.Seed, Campaign.Rounds(3))];

    private void CheckCounts(HashSet<ObserverState> seen)
    {
        Observer[] observers = [.. Server.Endpoint.Pipelines.SelectMany(pipeline => pipeline.Observers.Observers)];
        seen.UnionWith(observers.Select(observer => observer.State));
        Assert.DoesNotContain(ObserverState.Removed, observers.Select(observer => observer.State));
        foreach (IGrouping<PeerObservers, Observer> ofPeer in observers.GroupBy(observer => observer.Peer))
        {
            Assert.Equal(ofPeer.Where(observer => observer.IsWaiting).ToHashSet(), ofPeer.Key.Waiting.ToHashSet());
            Assert.Equal(ofPeer.Count(observer => observer.IsOutstanding), ofPeer.Key.Outstanding);
        }

        foreach (IGrouping<ObservedSubject, Observer> ofSubject in observers.GroupBy(observer => observer.Subject))
        {
            Assert.Equal(ofSubject.ToHashSet(), ofSubject.Key.Observers.ToHashSet());
            Assert.Equal(ofSubject.Any(observer => !observer.IsBusy), ofSubject.Key.HasIdle);
            Assert.NotEqual(SubjectState.Gone, ofSubject.Key.State);
        }
    }

    private static void CheckPage<TState>(Func<TState, TState, bool> mayFollow)
        where TState : struct, Enum
    {
        DocComments comments = new(typeof(CoapServer).Assembly);
        string name = typeof(TState).Name;
        StringBuilder table = new("\n| state | | after | when |\n|---|---|---|---|\n");
        foreach (TState state in Enum.GetValues<TState>())
        {
            string member = $"F:{typeof(TState).FullName}.{state}";
            string[] before = [.. Enum.GetValues<TState>().Where(other => mayFollow(state, other)).Select(other => $"`{other}`")];
            (string meaning, string when) = (comments.Of(member, "summary"), comments.Of(member, "remarks"));
            table.Append($"| `{state}` | {meaning} | {string.Join(", ", before)} | {when} |\n");
        }

        PageTable.Check("life-of-an-observation.md", $"<!-- begin {name} -->\n", $"<!-- end {name} -->", table.Append('\n').ToString());
    }
}

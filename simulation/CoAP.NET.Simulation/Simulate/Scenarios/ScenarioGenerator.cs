using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>Makes a scenario of a seed.</summary>
internal sealed class ScenarioGenerator
{
    private readonly Dice _dice;
    private readonly List<NodePlan> _nodes = [];
    private readonly List<Step> _steps = [];
    private readonly ulong _seed;
    private int _servers;
    private int _lastId;

    private ScenarioGenerator(ulong seed)
    {
        _seed = seed;
        _dice = new Dice(seed);
    }

    public static Scenario Make(ulong seed)
    {
        ScenarioGenerator generator = new(seed);
        generator.AddNodes();
        generator.AddTraffic();
        generator.AddFaults();
        return new Scenario(seed, generator._nodes, [.. generator._steps.OrderBy(step => step.At)]);
    }

    private int Length { get; set; }

    private void AddNodes()
    {
        _servers = _dice.Between(1, 3);
        bool forwards = _dice.Chance(40);
        int clients = _dice.Between(1, 4);
        int total = _servers + (forwards ? 1 : 0) + clients;
        bool narrow = _dice.Chance(35);
        for (int i = 0; i < total; i++)
        {
            bool isForwarder = forwards && i == _servers;
            NodePlan plan = new()
            {
                Index = i,
                Serves = i < _servers || isForwarder,
                ForwardsTo = isForwarder ? _dice.Between(0, _servers) : -1,
                Shards = _dice.Pick(1, 1, 1, 2, 4),
                NStart = _dice.Pick(1, 1, 1, 4, 16),
                ProbesFreely = _dice.Chance(25),
                MaxRetransmit = _dice.Pick(4, 4, 4, 4, 4, 4, 2, 0),
                BlockSize = _dice.Pick(1024, 1024, 256, 64, 16),
                QBlock = _dice.Chance(20) ? CoapQBlockPolicy.AllowUnsecured : CoapQBlockPolicy.Off,
                Timing = _dice.Chance(20) ? CoapRetransmissionAlgorithm.Fasor : CoapRetransmissionAlgorithm.Default,
                MaxAge = _dice.Pick(60, 60, 10, 300),
                NotifiesNonConfirmable = _dice.Chance(40),
            };
            _nodes.Add(narrow && _dice.Chance(70) ? Narrow(plan) : plan);
        }

        if (forwards)
        {
            _servers++;
        }
    }

    private NodePlan Narrow(NodePlan plan) => plan with
    {
        MaxQueuedRequests = _dice.Pick(1000, 8, 4),
        MaxRequestsServed = _dice.Pick(0, 1, 2, 8),
        MaxOutstandingMessages = _dice.Pick(0, 4, 8) * plan.Shards,
        MaxObservers = _dice.Pick(0, 0, 1, 2),
        MaxObservations = _dice.Pick(0, 0, 1),
        MaxChannels = _dice.Pick(0, 1, 2),
        NewcomerBytes = _dice.Pick(0, 64 * 1024),
        DeduplicationBytes = _dice.Pick(0, 64 * 1024),
        MaxAssemblyBytes = _dice.Pick(0, 4096, 8192),
        MaxRepresentationBytes = _dice.Pick(0, NodePlan.Nothing, 32 * 1024),
    };

    private void AddTraffic()
    {
        Length = _dice.Pick(20, 60, 300, 1200) * 1000;
        int count = _dice.Between(8, 32);
        for (int i = 0; i < count; i++)
        {
            int at = _dice.Between(0, Length);
            int peer = _dice.Between(0, _servers);
            int node = _dice.Between(0, _nodes.Count);
            node = node == peer ? _nodes.Count - 1 : node;
            switch (_dice.Between(0, 20))
            {
                case 0:
                    _steps.Add(new Step
                    {
                        At = at,
                        Kind = StepKind.Ping,
                        Id = ++_lastId,
                        Node = node,
                        Peer = peer,
                        CancelAfter = _dice.Chance(20) ? _dice.Between(0, 60_000) : 0
                    });
                    break;
                case < 4:
                    AddObservation(at, node, peer);
                    break;
                case < 8:
                    _steps.Add(new Step { At = at, Kind = StepKind.Change, Node = peer, Route = StateRoute() });
                    break;
                default:
                    int requests = _dice.Chance(15) ? _dice.Between(3, 10) : 1;
                    for (int j = 0; j < requests; j++)
                    {
                        AddRequest(at, node, peer);
                    }

                    break;
            }
        }
    }

    private SimulatedRoute StateRoute() => _dice.Chance(70) ? SimulatedRoute.State : SimulatedRoute.LargeState;

    private void AddObservation(int at, int node, int peer)
    {
        int id = ++_lastId;
        _steps.Add(new Step
        {
            At = at,
            Kind = StepKind.Observe,
            Id = id,
            Node = node,
            Peer = peer,
            Route = StateRoute(),
            Non = _dice.Chance(20),
            CancelAfter = _dice.Chance(10) ? _dice.Between(1, 30_000) : 0
        });
        if (_dice.Chance(30))
        {
            _steps.Add(new Step { At = _dice.Between(at, Length + 1), Kind = StepKind.Unobserve, Id = id, Node = node });
        }
    }

    private void AddRequest(int at, int node, int peer)
    {
        CoapMethod method = _dice.Pick(
            CoapMethod.Get, CoapMethod.Get, CoapMethod.Get, CoapMethod.Post, CoapMethod.Post, CoapMethod.Put, CoapMethod.Delete,
            CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch);
        bool isLarge = _dice.Chance(25);
        bool uploads = method is not (CoapMethod.Get or CoapMethod.Delete);
        SimulatedRoute route = _nodes[peer].ForwardsTo >= 0 && _dice.Chance(70)
            ? SimulatedRoute.Forward
            : _dice.Pick(SimulatedRoute.Plain, SimulatedRoute.Plain, SimulatedRoute.Plain, SimulatedRoute.Plain, SimulatedRoute.Queued,
                SimulatedRoute.Serial, SimulatedRoute.Fresh, SimulatedRoute.Limited);
        _steps.Add(new Step
        {
            At = at,
            Kind = StepKind.Request,
            Id = ++_lastId,
            Node = node,
            Peer = peer,
            Method = method,
            Route = route,
            Non = _dice.Chance(25),
            Upload = uploads ? isLarge ? _dice.Between(1, 5000) : _dice.Between(1, 64) : 0,
            Download = isLarge && _dice.Chance(50) ? _dice.Between(1, 5000) : 0,
            Timeout = _dice.Chance(70) ? _dice.Pick(1, 100, 5_000, 20_000, 100_000, 600_000) : 0,
            CancelAfter = _dice.Chance(12) ? _dice.Pick(1, 500, 10_000, 100_000) : 0,
            HandlerTime = _dice.Chance(30) ? _dice.Pick(1, 400, 3_000, 20_000, 90_000) : 0,
            Failure = _dice.Chance(8)
                ? _dice.Pick(HandlerFailure.Throws, HandlerFailure.Cancels, HandlerFailure.ReturnsNull)
                : HandlerFailure.None,
            WantsNoResponse = _dice.Chance(4),
            TooManyRequests = _dice.Chance(30) ? CoapTooManyRequestsBehavior.Wait : CoapTooManyRequestsBehavior.FailFast,
        });
    }

    private void AddFaults()
    {
        _steps.Add(Conditions(0, _dice.Pick(0, 0, 1, 1, 1, 2, 2, 3)));
        int faults = _dice.Pick(0, 1, 2, 3, 5);
        for (int i = 0; i < faults; i++)
        {
            int at = _dice.Between(0, Length);
            int node = _dice.Between(0, _nodes.Count);
            int peer = (node + _dice.Between(1, Math.Max(2, _nodes.Count))) % _nodes.Count;
            switch (_dice.Between(0, 7))
            {
                case 0 or 1:
                    _steps.Add(Conditions(at, _dice.Between(0, 5)));
                    break;
                case 2 or 3:
                    _steps.Add(new Step
                    {
                        At = at,
                        Kind = _dice.Chance(60) ? StepKind.Partition : StepKind.Block,
                        Node = node,
                        Peer = peer
                    });
                    _steps.Add(new Step { At = at + _dice.Pick(2_000, 30_000, 120_000, 400_000), Kind = StepKind.Heal });
                    break;
                case 4:
                    _steps.Add(new Step { At = at, Kind = StepKind.Restart, Node = node, Time = _dice.Pick(0, 1_000, 30_000, 200_000) });
                    break;
                case 5 when node >= _servers:
                    _steps.Add(new Step { At = at, Kind = StepKind.Rebind, Node = node });
                    break;
                default:
                    _steps.Add(new Step { At = at, Kind = StepKind.Jump, Time = _dice.Pick(-1, 1) * _dice.Between(1, 100_000_000) });
                    break;
            }
        }
    }

    // How bad: 0 nothing goes wrong, 1 some is lost, 2 much of everything, 3 datagrams take up to 100 s, 4 bytes change.
    private Step Conditions(int at, int badness) => badness switch
    {
        0 => new Step { At = at, Kind = StepKind.Conditions, MinDelay = 5, MaxDelay = 20 },
        1 => new Step
        {
            At = at,
            Kind = StepKind.Conditions,
            Loss = _dice.Between(0, 150),
            MinDelay = 10,
            MaxDelay = _dice.Pick(10, 100, 1_000)
        },
        2 => new Step
        {
            At = at,
            Kind = StepKind.Conditions,
            Loss = _dice.Between(0, 300),
            Duplication = _dice.Between(0, 300),
            Reordering = _dice.Between(0, 300),
            MinDelay = 10,
            MaxDelay = _dice.Pick(50, 3_000)
        },
        3 => new Step
        {
            At = at,
            Kind = StepKind.Conditions,
            Loss = _dice.Between(0, 100),
            Duplication = _dice.Between(0, 200),
            Reordering = _dice.Between(0, 500),
            MinDelay = 10,
            MaxDelay = _dice.Pick(30_000, 90_000)
        },
        _ => new Step
        {
            At = at,
            Kind = StepKind.Conditions,
            Loss = _dice.Between(0, 100),
            Corruption = _dice.Pick(0, 0, 20, 200),
            MinDelay = 10,
            MaxDelay = 200
        },
    };
}

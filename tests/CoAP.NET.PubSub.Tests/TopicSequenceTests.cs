
namespace CoAP.NET.PubSub.Tests;

/// <summary>
/// The life cycle of topics where it is decided, in a table: a thousand random sequences of creations, changes, publications, deletions and
/// time that passes, asked by three nodes, some of them once more or late, beside a model of a few lines.
/// </summary>
public sealed class TopicSequenceTests
{
    private const int Steps = 60;

    [Fact]
    [Rfc("pubsub-3.1-1")]
    public void The_responses_to_random_sequences_of_requests_equal_those_of_a_model()
    {
        HashSet<string> seen = [];
        for (ulong seed = 1; seed <= 1_000; seed++)
        {
            new Sequence(seed, seen).Run();
        }

        // All of the life cycle came up.
        Assert.Empty(new[]
        {
            "Create 2.01", "Create 4.00", "Replace 2.04", "Replace 4.00", "Replace 4.04", "Change 2.04", "Change 4.00", "Change 4.04",
            "Delete 2.02", "Delete 4.04", "Publish 2.01", "Publish 2.04", "Publish 4.04", "Publish 4.12", "Publish 4.15", "DeleteData 2.02",
            "DeleteData 4.04", "again 2.01", "again 2.02", "again 2.04", "again 4.04",
        }.Except(seen));
    }

    /// <summary>What the topic of one name is, in plain words.</summary>
    private sealed record Model(ulong Creation, string? Type, uint? Max, CoapContentFormat? Format, DateTimeOffset? End, string? Data);

    private sealed class Sequence
    {
        private static readonly CoapTableKey s_key = new("topic1"u8);

        private readonly ulong _seed;
        private readonly HashSet<string> _seen;
        private readonly VirtualRandom _random;
        private readonly VirtualClock _clock = new();
        private readonly TopicIndex _index = new(new TopicQuota(100, 1 << 20), null);
        private readonly CoapReplicatedTable _table;
        private readonly TopicRequestIdSource[] _nodes;
        private readonly List<(TopicOwnerRequest Question, CoapCode Code)> _done = [];
        private Model? _model;
        private ulong _creations;

        public Sequence(ulong seed, HashSet<string> seen)
        {
            (_seed, _seen, _random) = (seed, seen, new VirtualRandom(seed));
            _table = CoapReplicatedTable.InMemory(new Rules(_index), _clock);
            _nodes = [.. Enumerable.Range(0, 3).Select(_ => new TopicRequestIdSource(_random))];
        }

        public void Run()
        {
            for (int step = 0; step < Steps; step++)
            {
                string what = Step();
                TopicState? state = _index.StateOf(s_key.ToString());
                string expected = _model is null ? "nothing" : $"{_model}";
                string got = state is null ? "nothing" : $"{new Model(state.Creation, state.Properties.TopicType,
                    state.Properties.MaxSubscribers, state.Properties.ContentFormat, state.Properties.Expiration,
                    state.HasData ? Encoding.UTF8.GetString(state.Data.Span) : null)}";
                Assert.True(expected == got, $"Seed {_seed}, step {step}, {what}: {got} in place of {expected}.");
            }
        }

        private string Step()
        {
            // One that was asked already changes nothing but where it is a creation of what is gone, which nobody can know.
            if (_done.Count > 0 && Next(5) == 0)
            {
                (TopicOwnerRequest request, CoapCode code) = _done[^(1 + Next(Math.Min(4, _done.Count)))];
                if (request.Operation != TopicOwnerOperation.Create || _model is not null)
                {
                    CoapCode again = Ask(request);
                    Assert.True(request.IsDoneIn(_index.StateOf(s_key.ToString())) || request.Operation == TopicOwnerOperation.Create);
                    Assert.True(again.IsSuccess == code.IsSuccess || again == CoapCode.NotFound || again == CoapCode.BadRequest
                        || again == CoapCode.UnsupportedContentFormat, $"{request.Operation} again: {again} after {code}.");
                    _seen.Add($"again {again.ToString()[..4]}");
                    return "again";
                }
            }

            if (Next(6) == 0)
            {
                _clock.Advance(FromSeconds(Next(40)));
                _model = _model is { End: { } end } && end <= _clock.GetUtcNow() ? null : _model;
                return "wait";
            }

            TopicOwnerRequest next = Make();
            CoapCode wanted = Expect(next);
            CoapCode answer = Ask(next);
            Assert.True(wanted == answer, $"Seed {_seed}, {next.Operation}: {answer} in place of {wanted}.");
            _seen.Add($"{next.Operation} {answer.ToString()[..4]}");
            if (answer.IsSuccess)
            {
                Assert.True(next.IsDoneIn(_index.StateOf(s_key.ToString())));
                _done.Add((next, answer));
            }

            return $"{next.Operation}";
        }

        private TopicOwnerRequest Make()
        {
            TopicOwnerOperation operation = (TopicOwnerOperation)(1 + Next(6));
            TopicOwnerRequest request = new()
            {
                Operation = operation,
                Stamp = _nodes[Next(3)].Next(),
                Creation = _model is null ? 99 : Next(10) == 0 ? _model.Creation - 1 : _model.Creation,
            };
            return operation switch
            {
                TopicOwnerOperation.Create => request with
                {
                    Topic = new TopicState
                    {
                        Collection = "/ps", Source = "x", Creation = 100 + (2 * ++_creations),
                        Properties = new CoapTopicProperties("t") { ResourceType = "core.ps.data", Expiration = SomeEnd() },
                    },
                },
                TopicOwnerOperation.Replace or TopicOwnerOperation.Change => request with
                {
                    Properties = new CoapTopicProperties
                    {
                        Name = Next(12) == 0 ? "other" : null,
                        TopicType = Next(2) == 0 ? $"type {Next(3)}" : null,
                        MaxSubscribers = Next(2) == 0 ? (uint)Next(3) : null,
                        ContentFormat = Next(4) == 0 ? CoapContentFormat.TextPlain : null,
                        Expiration = SomeEnd(),
                    },
                },
                TopicOwnerOperation.Publish => request with
                {
                    Data = Encoding.UTF8.GetBytes($"{request.Stamp.Number} of {request.Stamp.Broker}"),
                    Format = Next(5) == 0 ? CoapContentFormat.Cbor : CoapContentFormat.TextPlain,
                    Expected = Next(5) == 0 ? (Next(2) == 0 ? 0 : _index.StateOf(s_key.ToString())?.DataTag) : null,
                },
                _ => request,
            };
        }

        private CoapCode Expect(TopicOwnerRequest asked)
        {
            if (asked.Topic is { } topic)
            {
                bool isFree = _model is null && (topic.Properties.Expiration is not { } end || end > _clock.GetUtcNow());
                _model = isFree ? new Model(topic.Creation, null, null, null, topic.Properties.Expiration, null) : _model;
                return isFree ? CoapCode.Created : CoapCode.BadRequest;
            }

            if (_model is null || _model.Creation != asked.Creation)
            {
                return CoapCode.NotFound;
            }

            switch (asked.Operation)
            {
                case TopicOwnerOperation.Replace or TopicOwnerOperation.Change:
                    CoapTopicProperties given = asked.Properties!;
                    if (given.Name is not null || given.Expiration <= _clock.GetUtcNow())
                    {
                        return CoapCode.BadRequest;
                    }

                    Model old = asked.Operation == TopicOwnerOperation.Change ? _model : new Model(0, null, null, null, null, null);
                    _model = _model with
                    {
                        Type = given.TopicType ?? old.Type,
                        Max = given.MaxSubscribers ?? old.Max,
                        Format = given.ContentFormat ?? old.Format,
                        End = given.Expiration ?? old.End,
                    };
                    return CoapCode.Changed;
                case TopicOwnerOperation.Delete:
                    _model = null;
                    return CoapCode.Deleted;
                case TopicOwnerOperation.DeleteData:
                    bool had = _model.Data is not null;
                    _model = _model with { Data = null };
                    return had ? CoapCode.Deleted : CoapCode.NotFound;
                default:
                    if (_model.Format is { } format && format != asked.Format)
                    {
                        return CoapCode.UnsupportedContentFormat;
                    }

                    bool isFirst = _model.Data is null;
                    if (asked.Expected == 0 && !isFirst)
                    {
                        return CoapCode.PreconditionFailed;
                    }

                    _model = _model with { Data = Encoding.UTF8.GetString(asked.Data.Span) };
                    return isFirst ? CoapCode.Created : CoapCode.Changed;
            }
        }

        private CoapCode Ask(TopicOwnerRequest request)
        {
            // In memory it completes at once.
            Task<ReadOnlyMemory<byte>> reply = _table.RequestAsync(s_key, request.Write()).AsTask();
            Assert.True(reply.IsCompletedSuccessfully);
            return TopicOwnerResponse.Read(reply.GetAwaiter().GetResult()).Code;
        }

        private DateTimeOffset? SomeEnd() => Next(4) == 0
            ? DateTimeOffset.FromUnixTimeSeconds(_clock.GetUtcNow().ToUnixTimeSeconds() + Next(100) - 5)
            : null;

        private int Next(int below) => (int)(_random.NextUInt64() % (ulong)below);
    }

    private sealed class Rules(TopicIndex index) : ICoapReplicatedTableRules
    {
        public CoapTableDecision Decide(CoapTableDecisionContext context) => TopicOperationRules.Decide(context);

        public void OnChanged(CoapTableChange change) => index.OnChanged(change);
    }
}

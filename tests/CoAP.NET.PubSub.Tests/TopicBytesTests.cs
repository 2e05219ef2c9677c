namespace CoAP.NET.PubSub.Tests;

/// <summary>Properties, entries and questions as bytes: what is written is read the same, and nothing that strangers send throws.</summary>
public sealed class TopicBytesTests
{
    [Fact]
    public void Properties_are_read_back_as_written()
    {
        VirtualRandom random = new(5);
        for (int i = 0; i < 500; i++)
        {
            CoapTopicProperties properties = Some(random);
            byte[] bytes = TopicPropertiesSerializer.Write(properties);
            Assert.True(TopicPropertiesSerializer.TryRead(bytes, isStrict: true, out CoapTopicProperties read, out string? error), error);
            Assert.Equal(properties with { Initial = null }, read with { Initial = null });
            Assert.Equal(properties.Initial?.ToArray(), read.Initial?.ToArray());
            Assert.Equal(bytes, TopicPropertiesSerializer.Write(read));
        }
    }

    [Fact]
    public void Entries_and_questions_are_read_back_as_written()
    {
        VirtualRandom random = new(6);
        for (int i = 0; i < 500; i++)
        {
            TopicState state = new()
            {
                Collection = "/ps",
                Owner = i % 2 == 0 ? null : "CoapDtlsPeerIdentity somebody",
                Source = "2001:db8::/56",
                Creation = random.NextUInt64(),
                Properties = Some(random) with { DataUri = null, Initial = null },
            };
            TopicRequestId stamp = new(random.NextUInt64(), random.NextUInt64());
            state = i % 3 == 0 ? state : state.WithData(new byte[i], i % 5 == 0 ? null : (CoapContentFormat)i, stamp);
            state = i % 7 == 0 ? state.WithoutData(stamp with { Broker = 7 }) : state;
            state = i % 11 == 0 ? state with { PropertyMarks = state.PropertyMarks.With(stamp).With(stamp with { Number = 1 }) } : state;
            TopicState read = TopicState.Read(state.Write())!;
            Assert.Equal(state.Data.ToArray(), read.Data.ToArray());
            Assert.Equal(state with { Data = default }, read with { Data = default });
            Assert.Equal(i % 3 != 0 && i % 7 != 0, read.HasData);

            TopicOwnerRequest request = new()
            {
                Operation = TopicOwnerOperation.Create,
                Stamp = stamp,
                Topic = state,
                Data = new byte[i],
                Creation = (ulong)i,
                Expected = i % 2 == 0 ? null : (ulong)(i - 1),
                IsDurable = i % 3 == 0,
            };
            TopicOwnerRequest asked = TopicOwnerRequest.Read(request.Write())!;
            Assert.Equal((TopicOwnerOperation.Create, i, stamp), (asked.Operation, asked.Data.Length, asked.Stamp));
            Assert.Equal((request.Creation, request.Expected, request.IsDurable), (asked.Creation, asked.Expected, asked.IsDurable));
            Assert.Equal(state.Creation, asked.Topic!.Creation);
        }
    }

    [Fact]
    public void Modified_or_truncated_bytes_are_refused_or_read_without_an_exception()
    {
        VirtualRandom random = new(7);
        int read = 0;
        for (int i = 0; i < 20_000; i++)
        {
            CoapTopicProperties properties = Some(random);
            TopicState state = new() { Collection = "/ps", Source = "x", Creation = 1, Properties = properties };
            byte[] bytes = (i % 3) switch
            {
                0 => TopicPropertiesSerializer.Write(properties),
                1 => state.WithData(new byte[3], null, new TopicRequestId(1, 2)).Write(),
                _ => new TopicOwnerRequest { Operation = TopicOwnerOperation.Publish, Stamp = new TopicRequestId(1, 2), Data = new byte[4] }
                    .Write(),
            };
            for (int change = 0; change < 1 + (i % 3); change++)
            {
                bytes[(int)(random.NextUInt64() % (uint)bytes.Length)] = (byte)random.NextUInt64();
            }

            bytes = i % 4 == 0 ? bytes[..(int)(random.NextUInt64() % (uint)bytes.Length)] : bytes;
            bool isRead = TopicPropertiesSerializer.TryRead(bytes, isStrict: true, out _, out string? error);
            Assert.Equal(isRead, error is null);
            _ = TopicPropertiesSerializer.TryReadKeys(bytes, out _);
            read += (isRead ? 1 : 0) + (TopicState.Read(bytes) is null ? 0 : 1) + (TopicOwnerRequest.Read(bytes) is null ? 0 : 1);
        }

        Assert.InRange(read, 100, 19_000);
    }

    private static CoapTopicProperties Some(VirtualRandom random)
    {
        ulong bits = random.NextUInt64();
        return new CoapTopicProperties
        {
            Name = Has(0) ? "living-room" : null,
            DataUri = Has(1) ? "/ps/data/1" : null,
            ResourceType = Has(2) ? "core.ps.data" : null,
            ContentFormat = Has(3) ? (CoapContentFormat)(int)(bits >> 48) : null,
            TopicType = Has(4) ? "\u03b8 temperature" : null,
            Expiration = Has(5) ? DateTimeOffset.FromUnixTimeSeconds((long)(bits >> 30)) : null,
            MaxSubscribers = Has(6) ? (uint)(bits >> 32) : null,
            ObserverCheck = Has(7) ? FromSeconds(1 + (bits >> 40)) : null,
            Initial = Has(8) ? new byte[] { 1, 2, 3 } : null,
        };

        bool Has(int bit) => (bits & (1u << bit)) != 0;
    }
}
